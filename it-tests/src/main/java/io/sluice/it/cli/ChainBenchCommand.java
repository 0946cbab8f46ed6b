package io.sluice.it.cli;

import io.sluice.bench.local.ChainBench;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench chain}. */
@Command(
    name = "chain",
    description =
        "Measures chains of sorts and of trivial jobs in one process: LocalJobRunner, Sluice's engine"
            + " on files, and Sluice's engine with its files in memory.",
    mixinStandardHelpOptions = true)
final class ChainBenchCommand implements Callable<Integer> {
  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "256m",
      description = "Size of the sorted data (default: ${DEFAULT-VALUE}).")
  private long sizeBytes;

  @Mixin private RunsOption runs;

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    new ChainBench(workspace, Console.standard(), sizeBytes)
        .run(runs.count(), new ResultFiles(workspace.results()));
    return 0;
  }
}
