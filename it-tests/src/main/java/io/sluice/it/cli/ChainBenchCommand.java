package io.sluice.it.cli;

import io.sluice.bench.local.ChainBench;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice bench chain}. */
@Command(
    name = "chain",
    description =
        "Measures chains of sorts and of trivial jobs in one process: LocalJobRunner, Sluice's engine"
            + " on files, and Sluice's engine with its files in memory.",
    mixinStandardHelpOptions = true)
final class ChainBenchCommand extends MeasuringCommand {
  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "256m",
      description = "Size of the sorted data (default: ${DEFAULT-VALUE}).")
  private long sizeBytes;

  @Override
  void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
    new ChainBench(workspace, console, sizeBytes).run(rounds, results);
  }
}
