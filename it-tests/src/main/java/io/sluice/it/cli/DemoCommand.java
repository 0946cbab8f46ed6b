package io.sluice.it.cli;

import io.sluice.bench.hadoop.Demo;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice demo}. */
@Command(
    name = "demo",
    description = "Runs stock's TeraSort and WordCount on a YARN cluster, without and with Sluice.",
    subcommands = {LocalDemoCommand.class, SparkDemoCommand.class},
    mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
  @Mixin private InstallOptions install;

  @Mixin private ClusterOptions clusterOptions;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "1g",
      description = "Size of TeraSort's input, such as 256m (default: ${DEFAULT-VALUE}).")
  private long sizeBytes;

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    Console console = Console.standard();
    try (PseudoCluster cluster = clusterOptions.start(workspace, console)) {
      new Demo(cluster, console, sizeBytes).run(new ResultFiles(workspace.results()));
    }
    console.say("demo: all jobs succeeded and all outputs agree");
    return 0;
  }
}
