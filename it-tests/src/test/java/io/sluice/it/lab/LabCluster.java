package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.ClusterSpec.ClusterPlaces;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.PeerHost;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.QuickStart;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.scenario.QuickCluster;
import io.sluice.rdma.LabTransport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Stock Hadoop's daemons in the guest, or in two, at addresses that have an RDMA device. */
final class LabCluster {
  private static final Duration BOOT_DEADLINE = Duration.ofMinutes(3);

  /** The property that only a guest sets. */
  static final String SHARE = "sluice.lab.share";

  /** The property that only one of two guests sets. */
  static final String PEER = "sluice.lab.peer";

  private static final String POOL_DIR = "sluice.pool.dir";
  private static final String NODE_MEMORY_MB = "yarn.nodemanager.resource.memory-mb";
  private static final String NODE_VCORES = "yarn.nodemanager.resource.cpu-vcores";
  private static final String DOMINANT_RESOURCE =
      "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator";

  private LabCluster() {}

  /** One NodeManager for every kind of pool that a host can have. */
  static PseudoCluster ofEveryPool() {
    List<String> hosts = List.of("sluice-1", "sluice-1", "sluice-1", "sluice-1");
    return start(
        spec(hosts, Optional.empty(), false) // the first node's pool is in tmpfs
            .withNodeSite(1, POOL_DIR, property("hugetlbfs"))
            .withNodeSite(2, POOL_DIR, property("devdax"))
            .withNodeSite(3, POOL_DIR, property("fsdax") + "/sluice"));
  }

  /** One NodeManager on either host. */
  static PseudoCluster ofTwoHosts() {
    return start(spec(List.of("sluice-1", "sluice-2"), Optional.of(awaitPeer()), false));
  }

  /** The other host, once it is up. */
  static PeerHost awaitPeer() {
    PeerHost peer = new PeerHost(Path.of(System.getProperty(PEER)));
    peer.awaitReady(BOOT_DEADLINE);
    return peer;
  }

  /**
   * All daemons in one JVM, with two NodeManagers. The pool of the one that has the
   * ApplicationMaster and the map is on fs-DAX.
   */
  static PseudoCluster ofOneJvm() {
    return start(
        withMapAndReduceApart(spec(List.of("sluice-1", "sluice-1"), Optional.empty(), true), 0)
            .withNodeSite(0, POOL_DIR, property("fsdax") + "/sluice"));
  }

  /**
   * All daemons in one JVM but a NodeManager on the other host, which has the ApplicationMaster and
   * the map.
   */
  static PseudoCluster ofOneJvmAndThePeer() {
    List<String> hosts = List.of("sluice-1", "sluice-2");
    return start(withMapAndReduceApart(spec(hosts, Optional.of(awaitPeer()), true), 1));
  }

  /**
   * The ApplicationMaster and the map fit on one node alone, for the other has too little memory;
   * and the reduce, which wants two processors, on the other alone.
   */
  private static ClusterSpec withMapAndReduceApart(ClusterSpec spec, int mapNode) {
    int reduceNode = 1 - mapNode;
    return spec.withSite("yarn.scheduler.capacity.resource-calculator", DOMINANT_RESOURCE)
        .withSite("yarn.app.mapreduce.am.resource.mb", "1280")
        .withSite("mapreduce.map.memory.mb", "1280")
        .withSite("mapreduce.reduce.memory.mb", "1024")
        .withSite("mapreduce.reduce.cpu.vcores", "2")
        .withSite(NODE_VCORES, "2")
        .withNodeSite(mapNode, NODE_MEMORY_MB, "2560")
        .withNodeSite(reduceNode, NODE_MEMORY_MB, "1024");
  }

  private static PseudoCluster start(ClusterSpec spec) {
    PseudoCluster cluster = PseudoCluster.start(Workspace.find(), spec);
    cluster.keepDirectory();
    return cluster;
  }

  /** The cluster's file system: what both guests can see, so that HDFS need not start. */
  static Path files() {
    return share().resolve("files");
  }

  /** The directory that both hosts can write to. */
  static Path share() {
    return Path.of(System.getProperty(SHARE));
  }

  /** Whether the second NodeManager is on another host. */
  static boolean hasPeer() {
    return System.getProperty(PEER) != null;
  }

  /** The counter of a job that has the bytes of remote reads. */
  static String readBytesCounter() {
    return "READ_BYTES_" + LabTransport.NAME.toUpperCase(Locale.ROOT);
  }

  private static String property(String kind) {
    String place = System.getProperty("sluice.lab." + kind);
    assertNotNull(place, "this guest has no " + kind);
    return place;
  }

  private static ClusterSpec spec(List<String> hosts, Optional<PeerHost> peer, boolean oneJvm) {
    Workspace workspace = Workspace.find();
    return QuickCluster.of(HadoopDistribution.locate(workspace, HadoopDistribution.DEFAULT_VERSION))
        .withSluice(SluiceFragments.load(workspace).orElseThrow(), Set.of())
        .withSite("sluice.pool.capacity-mb", "64")
        .withSite("sluice.pool.segment-mb", "16")
        .withSite("yarn.app.mapreduce.am.admin-command-opts", QuickStart.LINE)
        .withSite("mapreduce.admin.map.child.java.opts", QuickStart.LINE)
        .withSite("mapreduce.admin.reduce.child.java.opts", QuickStart.LINE)
        .withSite("sluice.reduce.transport", LabTransport.NAME)
        .withSite("sluice.service.transport", LabTransport.NAME)
        .withPlaces(
            new ClusterPlaces(
                hosts,
                Optional.of(share().resolve("clusters")),
                Optional.of(Path.of("/run/lab/cluster")),
                Optional.of(files()),
                peer,
                QuickStart.OPTIONS,
                oneJvm,
                List.of()));
  }
}
