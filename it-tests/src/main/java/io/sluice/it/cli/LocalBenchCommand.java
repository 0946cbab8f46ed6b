package io.sluice.it.cli;

import io.sluice.bench.local.LocalDemo;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench local}. */
@Command(
    name = "local",
    description =
        "Measures TeraSort and WordCount in one process: LocalJobRunner and Sluice's engine.",
    mixinStandardHelpOptions = true)
final class LocalBenchCommand implements Callable<Integer> {
  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "1g",
      description = "Size of TeraSort's input (default: ${DEFAULT-VALUE}).")
  private long sizeBytes;

  @Mixin private RunsOption runs;

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    LocalDemo.bench(workspace, Console.standard(), sizeBytes)
        .run(runs.count(), new ResultFiles(workspace.results()), "bench-local");
    return 0;
  }
}
