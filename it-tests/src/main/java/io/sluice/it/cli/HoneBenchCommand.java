package io.sluice.it.cli;

import io.sluice.bench.local.HoneBench;
import io.sluice.bench.local.HoneClients;
import io.sluice.bench.local.HoneSize;
import io.sluice.bench.local.HoneVariant;
import io.sluice.bench.local.HoneWorkload;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import io.sluice.it.spark.SparkDistribution;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench hone}. */
@Command(
    name = "hone",
    description =
        "Measures Hone's applications on one machine: a cluster of daemons, LocalJobRunner, the"
            + " engine, Spark.",
    mixinStandardHelpOptions = true)
final class HoneBenchCommand implements Callable<Integer> {
  @Option(
      names = "--size",
      defaultValue = "SMALL",
      description = "Of the inputs: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private HoneSize size;

  @Option(
      names = "--workload",
      split = ",",
      description = "Some of ${COMPLETION-CANDIDATES} (default: all).")
  private List<HoneWorkload> workloads = List.of(HoneWorkload.values());

  @Option(names = "--engines", split = ",", description = Engines.DESCRIPTION)
  private Set<HoneVariant> variants = EnumSet.allOf(HoneVariant.class);

  @Mixin private RunsOption runs;

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    Console console = Console.standard();
    Set<HoneVariant> all = Engines.withStock(HoneVariant.STOCK, variants);
    Optional<SparkDistribution> spark =
        all.contains(HoneVariant.SPARK)
            ? Optional.of(SparkDistribution.locate(SparkDistribution.DEFAULT_VERSION))
            : Optional.empty();
    onStock(
        workspace,
        console,
        clients -> {
          spark.ifPresent(clients::with);
          new HoneBench(console, clients, workloads, size, all)
              .run(runs.count(), new ResultFiles(workspace.results()));
        });
    return 0;
  }

  /** Runs a bench with a stock cluster, and clients of it and of one process. */
  static void onStock(Workspace workspace, Console console, Consumer<HoneClients> bench) {
    Path engineJar =
        SluiceFragments.load(workspace)
            .orElseThrow(() -> new ClusterException("Sluice's jar for Hadoop is not built"))
            .jar();
    ClusterSpec stock = ClusterSpec.of(HadoopDistribution.underTest(workspace));
    try (PseudoCluster cluster =
        console.step("Starting Hadoop", () -> PseudoCluster.start(workspace, stock))) {
      bench.accept(
          new HoneClients(workspace, cluster, engineJar, cluster.localDirectory("clients")));
    }
  }
}
