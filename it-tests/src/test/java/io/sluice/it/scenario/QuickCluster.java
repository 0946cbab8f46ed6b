package io.sluice.it.scenario;

import io.sluice.it.cluster.ClusterPlaces;
import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.HadoopDistribution;
import java.util.List;

/** A cluster for tests: quick heartbeats, and JVMs that start rather than compile. */
public final class QuickCluster {
  private static final String QUICK_START = "-XX:TieredStopAtLevel=1"; // most of a test is start-up

  private QuickCluster() {}

  public static ClusterSpec of(HadoopDistribution distribution) {
    return ClusterSpec.of(distribution)
        .withPlaces(ClusterPlaces.HERE.withDaemonOptions(List.of(QUICK_START)))
        .withSite("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "200")
        .withSite("yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", "200")
        .withSite("mapreduce.client.progressmonitor.pollinterval", "200")
        .withSite("yarn.app.mapreduce.am.admin-command-opts", QUICK_START)
        .withSite("mapreduce.admin.map.child.java.opts", QUICK_START)
        .withSite("mapreduce.admin.reduce.child.java.opts", QUICK_START);
  }
}
