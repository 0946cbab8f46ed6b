package io.sluice.it.cli;

import io.sluice.bench.local.HoneBench;
import io.sluice.bench.local.HoneBench.HoneWorkload;
import io.sluice.bench.local.HoneClients;
import io.sluice.bench.local.HoneClients.HoneVariant;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
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
  private HoneWorkload.InputSize size;

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
    try (HoneClients clients = HoneClients.open(workspace, console, all)) {
      new HoneBench(console, clients, workloads, size, all)
          .run(runs.count(), new ResultFiles(workspace.results()));
    }
    return 0;
  }
}
