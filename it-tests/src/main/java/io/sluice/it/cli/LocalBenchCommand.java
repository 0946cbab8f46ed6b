package io.sluice.it.cli;

import io.sluice.bench.local.LocalDemo;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice bench local}. */
@Command(
    name = "local",
    description =
        "Measures TeraSort and WordCount in one process: LocalJobRunner and Sluice's engine.",
    mixinStandardHelpOptions = true)
final class LocalBenchCommand extends MeasuringCommand {
  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "1g",
      description = "Size of TeraSort's input (default: ${DEFAULT-VALUE}).")
  private long sizeBytes;

  @Override
  void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
    LocalDemo.bench(workspace, console, sizeBytes).run(rounds, results, "bench-local");
  }
}
