package io.sluice.it.cli;

import io.sluice.bench.local.SyntheticBench;
import io.sluice.bench.local.SyntheticShape;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench synthetic}. */
@Command(
    name = "synthetic",
    description =
        "Measures Hone's synthetic job by kinds of keys, sizes of values and arithmetic: a cluster"
            + " of daemons, LocalJobRunner, the engine.",
    mixinStandardHelpOptions = true)
final class SyntheticBenchCommand implements Callable<Integer> {
  @Option(
      names = "--size",
      converter = SizeConverter.class,
      defaultValue = "400k",
      description = "Lines of the text, of some 75 bytes (default: ${DEFAULT-VALUE}).")
  private long lines;

  @Option(
      names = "--parts",
      split = ",",
      description = "Some of ${COMPLETION-CANDIDATES} (default: all).")
  private List<SyntheticShape.Part> parts = List.of(SyntheticShape.Part.values());

  @Mixin private RunsOption runs;

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    Console console = Console.standard();
    HoneBenchCommand.onStock(
        workspace,
        console,
        clients ->
            new SyntheticBench(console, clients, parts, lines)
                .run(runs.count(), new ResultFiles(workspace.results())));
    return 0;
  }
}
