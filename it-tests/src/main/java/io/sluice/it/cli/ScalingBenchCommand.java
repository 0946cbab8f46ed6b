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
        "Measures the engine with one thread and with two, and simulates up to 64 from the times of"
            + " its tasks.",
    mixinStandardHelpOptions = true)
final class ScalingBenchCommand extends MeasuringCommand {
  @Option(
      names = "--size",
      converter = SizeConverter.class,
      defaultValue = "1g",
      description = "Of TeraSort's input; LDA's takes about as long (default: ${DEFAULT-VALUE}).")
  private long sizeBytes;

  @Override
  void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
    new ScalingBench(workspace, console, sizeBytes).run(rounds, results);
  }
}
