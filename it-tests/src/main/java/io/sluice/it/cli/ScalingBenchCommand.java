package io.sluice.it.cli;

import io.sluice.bench.local.ScalingBench;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench scaling}. */
@Command(
    name = "scaling",
    description =
        "Measures the engine of one process with one thread and with two. It simulates up to 64"
            + " threads from the times of the tasks.",
    mixinStandardHelpOptions = true)
final class ScalingBenchCommand implements Callable<Integer> {
  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "1g",
      description =
          "Size of TeraSort's input (default: ${DEFAULT-VALUE}). LDA reads an input that takes about as long.")
  private long sizeBytes;

  @Mixin private RunsOption runs;

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    new ScalingBench(workspace, Console.standard(), sizeBytes)
        .run(runs.count(), new ResultFiles(workspace.results()));
    return 0;
  }
}
