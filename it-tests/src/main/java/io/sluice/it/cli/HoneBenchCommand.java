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
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice bench hone}. */
@Command(
    name = "hone",
    description =
        "Measures the applications of the Hone paper on one machine: a cluster of daemons,"
            + " LocalJobRunner, Sluice's engine, Spark.",
    mixinStandardHelpOptions = true)
final class HoneBenchCommand extends MeasuringCommand {
  @Option(
      names = "--size",
      paramLabel = "NAME",
      defaultValue = "SMALL",
      description = "Size of the inputs: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private HoneWorkload.InputSize size;

  @Option(
      names = "--workload",
      paramLabel = "NAME",
      split = ",",
      description = "Applications to measure: ${COMPLETION-CANDIDATES} (default: all).")
  private List<HoneWorkload> workloads = List.of(HoneWorkload.values());

  @Option(names = "--engines", paramLabel = "NAME", split = ",", description = Engines.DESCRIPTION)
  private Set<HoneVariant> variants = EnumSet.allOf(HoneVariant.class);

  @Override
  void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
    Set<HoneVariant> all = Engines.withStock(HoneVariant.STOCK, variants);
    try (HoneClients clients = HoneClients.open(workspace, console, all)) {
      new HoneBench(console, clients, workloads, size, all).run(rounds, results);
    }
  }
}
