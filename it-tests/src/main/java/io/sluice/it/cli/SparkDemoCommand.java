package io.sluice.it.cli;

import io.sluice.bench.spark.SparkBench;
import io.sluice.bench.spark.SparkVariant;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import io.sluice.it.spark.SparkDistribution;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice demo spark}. */
@Command(
    name = "spark",
    description = "Runs shuffles by stock's spark-submit, without and with Sluice.",
    mixinStandardHelpOptions = true)
final class SparkDemoCommand implements Callable<Integer> {
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
