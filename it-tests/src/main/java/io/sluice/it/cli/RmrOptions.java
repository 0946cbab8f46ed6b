package io.sluice.it.cli;

import io.sluice.bench.hadoop.RmrRounds;
import io.sluice.bench.hadoop.RmrWorkload;
import io.sluice.bench.hadoop.RmrWorkload.RmrVariant;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that all benches of RMR-NVM's programs have. */
abstract class RmrOptions extends MeasuringCommand {
  @Mixin private ClusterOptions clusterOptions;

  @Option(names = "--engines", paramLabel = "NAME", split = ",", description = Engines.DESCRIPTION)
  private Set<RmrVariant> variants = EnumSet.allOf(RmrVariant.class);

  @Option(
      names = "--workload",
      paramLabel = "NAME",
      split = ",",
      description = "Programs to measure: ${COMPLETION-CANDIDATES} (default: all of this bench).")
  private List<RmrWorkload> workloads = List.of();

  /** The programs to run: all that the bench is about if the user names none. */
  List<RmrWorkload> workloads(List<RmrWorkload> all) {
    return workloads.isEmpty() ? all : workloads;
  }

  /** Runs one of the benches, by those who run its programs. */
  abstract void run(RmrRounds by, Console console, int rounds, ResultFiles results);

  /** On clusters for all variants: that with slow pools is one of its own. */
  @Override
  void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
    Set<RmrVariant> plain = Engines.withStock(RmrVariant.STOCK, variants);
    boolean slow = plain.remove(RmrVariant.NVRAM);
    RmrRounds by = new RmrRounds(workspace, console);
    try (PseudoCluster cluster = clusterOptions.start(workspace, console);
        PseudoCluster nvram =
            slow ? clusterOptions.start(workspace, console, RmrVariant.NVRAM_SITE) : null) {
      by.runOn(cluster, plain);
      if (slow) {
        by.runOn(nvram, Set.of(RmrVariant.NVRAM));
      }
      run(by, console, rounds, results);
    }
  }
}
