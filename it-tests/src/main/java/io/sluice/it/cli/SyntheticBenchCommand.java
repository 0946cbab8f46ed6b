package io.sluice.it.cli;

import io.sluice.bench.local.HoneClients;
import io.sluice.bench.local.HoneClients.HoneVariant;
import io.sluice.bench.local.SyntheticBench;
import io.sluice.bench.local.SyntheticBench.SyntheticShape;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice bench synthetic}. */
@Command(
    name = "synthetic",
    description =
        "Measures the synthetic job of the Hone paper by kinds of keys, sizes of values and"
            + " arithmetic: a cluster of daemons, LocalJobRunner, Sluice's engine.",
    mixinStandardHelpOptions = true)
final class SyntheticBenchCommand extends MeasuringCommand {
  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "400k",
      description = "Lines of the text, of some 75 bytes each (default: ${DEFAULT-VALUE}).")
  private long lines;

  @Option(
      names = "--parts",
      paramLabel = "NAME",
      split = ",",
      description = "Parts to measure: ${COMPLETION-CANDIDATES} (default: all).")
  private List<SyntheticShape.Part> parts = List.of(SyntheticShape.Part.values());

  @Option(
      names = "--engines",
      paramLabel = "NAME",
      split = ",",
      description = "Variants that run beside STOCK: CLUSTER, SLUICE (default: both).")
  private Set<HoneVariant> variants = SyntheticBench.VARIANTS;

  @Spec private CommandSpec spec;

  @Override
  void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
    Engines.check(spec, variants, SyntheticBench.VARIANTS);
    Set<HoneVariant> all = Engines.withStock(HoneVariant.STOCK, variants);
    try (HoneClients clients = HoneClients.open(workspace, console, all)) {
      new SyntheticBench(console, clients, parts, lines, all).run(rounds, results);
    }
  }
}
