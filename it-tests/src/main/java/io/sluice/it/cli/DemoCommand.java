package io.sluice.it.cli;

import io.sluice.bench.hadoop.Demo;
import io.sluice.bench.local.LocalDemo;
import io.sluice.bench.spark.SparkBench;
import io.sluice.bench.spark.SparkVariant;
import io.sluice.it.cli.SharedOptions.SizeConverter;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import io.sluice.it.spark.SparkDistribution;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** {@code sluice demo}. */
@Command(
    name = "demo",
    description = "Runs stock's TeraSort and WordCount on a YARN cluster, without and with Sluice.",
    subcommands = {DemoCommand.Local.class, DemoCommand.Spark.class},
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT)
final class DemoCommand implements Callable<Integer> {
  @Mixin private SharedOptions.Install install;

  @Mixin private SharedOptions.Cluster clusterOptions;

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

  @Command(
      name = "local",
      description =
          "Runs stock's TeraSort and WordCount in one process: by LocalJobRunner, then by Sluice's engine.")
  static final class Local implements Callable<Integer> {
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

  @Command(
      name = "spark",
      description = "Runs shuffles by stock's spark-submit, without and with Sluice.")
  static final class Spark implements Callable<Integer> {
    @Option(
        names = "--rows",
        paramLabel = "COUNT",
        defaultValue = "2000000",
        description = "Rows of every shuffle (default: ${DEFAULT-VALUE}).")
    private long rows;

    @Override
    public Integer call() {
      Workspace workspace = Workspace.find();
      SparkDistribution spark = SparkDistribution.locate(SparkDistribution.DEFAULT_VERSION);
      new SparkBench(
              workspace, Console.standard(), spark, rows, false, SparkVariant.ALL, Optional.empty())
          .run(1, new ResultFiles(workspace.results()), "demo-spark");
      return 0;
    }
  }
}
