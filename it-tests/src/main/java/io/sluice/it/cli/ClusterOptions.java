package io.sluice.it.cli;

import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Option;

/** What commands that need a cluster have in common. */
final class ClusterOptions {
  @Option(
      names = "--hadoop",
      paramLabel = "VERSION",
      defaultValue = HadoopDistribution.DEFAULT_VERSION,
      description = "Hadoop release: 3.5.0, 3.4.3 or 3.3.6 (default: ${DEFAULT-VALUE}).")
  private String hadoopVersion;

  @Option(names = "--keep", description = "Keep the cluster's configuration, logs and data.")
  private boolean keep;

  PseudoCluster start(Workspace workspace, Console console) {
    return start(workspace, console, Map.of());
  }

  /** One with more settings of daemons and clients. */
  PseudoCluster start(Workspace workspace, Console console, Map<String, String> site) {
    HadoopDistribution distribution = distribution(workspace, console);
    Optional<SluiceFragments> sluice = SluiceFragments.load(workspace);
    ClusterSpec stock = ClusterSpec.of(distribution).withSite(site);
    ClusterSpec spec = sluice.map(found -> stock.withSluice(found, Set.of())).orElse(stock);
    PseudoCluster cluster =
        console.step(
            "Starting Hadoop " + hadoopVersion, () -> PseudoCluster.start(workspace, spec));
    console.say("daemons' logs: " + cluster.logs());
    if (keep) {
      cluster.keepDirectory();
    }
    return cluster;
  }

  private HadoopDistribution distribution(Workspace workspace, Console console) {
    return HadoopDistribution.isAssembled(workspace, hadoopVersion)
        ? HadoopDistribution.locate(workspace, hadoopVersion)
        : console.step(
            "Assembling Hadoop " + hadoopVersion + "; Maven downloads about 100 MB of it",
            () -> HadoopDistribution.assemble(workspace, hadoopVersion));
  }
}
