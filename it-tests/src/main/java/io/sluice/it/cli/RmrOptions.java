package io.sluice.it.cli;

import io.sluice.bench.rmr.RmrRounds;
import io.sluice.bench.rmr.RmrRounds.RmrVariant;
import io.sluice.bench.rmr.RmrWorkload;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What all benches of RMR-NVM's programs have in common. */
final class RmrOptions {
  @Mixin private ClusterOptions clusterOptions;

  @Option(names = "--engines", split = ",", description = Engines.DESCRIPTION)
  private Set<RmrVariant> variants = EnumSet.allOf(RmrVariant.class);

  @Option(
      names = "--workload",
      split = ",",
      description = "Some of ${COMPLETION-CANDIDATES} (default: all that the bench is about).")
  private List<RmrWorkload> workloads = List.of();

  @Mixin private RunsOption runs;

  /** One of the benches. */
  interface Bench {
    void run(RmrRounds rounds, Console console, int count, ResultFiles files);
  }

  /** What is to be run, of all that the bench is about if nothing is said. */
  List<RmrWorkload> workloads(List<RmrWorkload> all) {
    return workloads.isEmpty() ? all : workloads;
  }

  /** Runs one on clusters for all variants: that with slow pools is one of its own. */
  int run(Bench bench) {
    Workspace workspace = Workspace.find();
    Console console = Console.standard();
    Set<RmrVariant> plain = Engines.withStock(RmrVariant.STOCK, variants);
    boolean slow = plain.remove(RmrVariant.NVRAM);
    RmrRounds rounds = new RmrRounds(workspace, console);
    try (PseudoCluster cluster = clusterOptions.start(workspace, console);
        PseudoCluster nvram =
            slow ? clusterOptions.start(workspace, console, RmrVariant.NVRAM_SITE) : null) {
      rounds.runOn(cluster, plain);
      if (slow) {
        rounds.runOn(nvram, Set.of(RmrVariant.NVRAM));
      }
      bench.run(rounds, console, runs.count(), new ResultFiles(workspace.results()));
    }
    return 0;
  }
}
