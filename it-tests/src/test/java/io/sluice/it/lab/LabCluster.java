package io.sluice.it.lab;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.cluster.ClusterPlaces;
import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.PeerHost;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.scenario.QuickCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Stock Hadoop's daemons in the guest, or in two, at addresses that have an RDMA device. */
final class LabCluster {
  private static final Duration BOOT_DEADLINE = Duration.ofMinutes(3);

  /** The property that only a guest sets. */
  static final String SHARE = "sluice.lab.share";

  private static final String PEER = "sluice.lab.peer";

  private LabCluster() {}

  /** Starts a cluster whose second NodeManager is on the second guest if there is one. */
  static PseudoCluster start() {
    Optional<PeerHost> peer =
        Optional.ofNullable(System.getProperty(PEER)).map(Path::of).map(PeerHost::new);
    peer.ifPresent(host -> host.awaitReady(BOOT_DEADLINE));
    PseudoCluster cluster = PseudoCluster.start(Workspace.find(), spec(share(), peer));
    cluster.keepDirectory();
    return cluster;
  }

  /** The cluster's file system: what both guests can see, so that HDFS need not start. */
  static Path files() {
    return share().resolve("files");
  }

  private static Path share() {
    return Path.of(System.getProperty(SHARE));
  }

  /** Whether the second NodeManager is on another host. */
  static boolean hasPeer() {
    return System.getProperty(PEER) != null;
  }

  /** Where the guest has a pool of that kind; skips the test where it has none. */
  static String property(String kind) {
    String place = System.getProperty("sluice.lab." + kind);
    assumeTrue(place != null, "this guest has no " + kind);
    return place;
  }

  private static ClusterSpec spec(Path share, Optional<PeerHost> peer) {
    Workspace workspace = Workspace.find();
    return QuickCluster.of(HadoopDistribution.locate(workspace, HadoopDistribution.DEFAULT_VERSION))
        .withSluice(SluiceFragments.load(workspace).orElseThrow(), Set.of())
        .withSite("sluice.pool.capacity-mb", "64")
        .withSite("sluice.pool.segment-mb", "16")
        .withSite("sluice.transport", System.getProperty("sluice.lab.transport", "ucx"))
        .withPlaces(
            new ClusterPlaces(
                List.of("sluice-1", peer.isPresent() ? "sluice-2" : "sluice-1"),
                Optional.of(share.resolve("clusters")),
                Optional.of(Path.of("/run/lab/cluster")),
                Optional.of(files()),
                peer,
                List.of("-XX:TieredStopAtLevel=1")));
  }
}
