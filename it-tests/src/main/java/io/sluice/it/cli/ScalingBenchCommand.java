package io.sluice.it.cli;

import io.sluice.bench.local.ScalingBench;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice bench scaling}. */
@Command(
    name = "scaling",
    description =
        "Measures the engine of one process with one thread and with two. It simulates up to 64"
            + " threads from the times of the tasks.",
    mixinStandardHelpOptions = true)
final class ScalingBenchCommand extends MeasuringCommand {
  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "1g",
      description =
          "Size of TeraSort's input (default: ${DEFAULT-VALUE}). LDA reads an input that takes about as long.")
  private long sizeBytes;

  @Override
  void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
    new ScalingBench(workspace, console, sizeBytes).run(rounds, results);
  }
}
