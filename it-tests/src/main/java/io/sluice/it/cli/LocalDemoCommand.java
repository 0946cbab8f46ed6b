package io.sluice.it.cli;

import io.sluice.bench.local.LocalDemo;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice demo local}. */
@Command(
    name = "local",
    description =
        "Runs stock's TeraSort and WordCount in one process: by LocalJobRunner, then by Sluice's engine.",
    mixinStandardHelpOptions = true)
final class LocalDemoCommand implements Callable<Integer> {
  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "256m",
      description = "Size of TeraSort's input (default: ${DEFAULT-VALUE}).")
  private long sizeBytes;

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    LocalDemo.demo(workspace, Console.standard(), sizeBytes)
        .run(1, new ResultFiles(workspace.results()), "demo-local");
    return 0;
  }
}
