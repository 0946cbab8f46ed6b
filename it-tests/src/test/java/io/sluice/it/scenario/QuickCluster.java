package io.sluice.it.scenario;

import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.ClusterSpec.ClusterPlaces;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.QuickStart;

/** A cluster for tests: quick heartbeats, and JVMs that start rather than compile. */
public final class QuickCluster {
  private QuickCluster() {}

  public static ClusterSpec of(HadoopDistribution distribution) {
    return ClusterSpec.of(distribution)
        .withPlaces(ClusterPlaces.HERE.withDaemonOptions(QuickStart.OPTIONS))
        .withSite("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "200")
        .withSite("yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", "200")
        .withSite("mapreduce.client.progressmonitor.pollinterval", "200")
        .withSite("yarn.app.mapreduce.am.admin-command-opts", QuickStart.LINE)
        .withSite("mapreduce.admin.map.child.java.opts", QuickStart.LINE)
        .withSite("mapreduce.admin.reduce.child.java.opts", QuickStart.LINE);
  }
}
