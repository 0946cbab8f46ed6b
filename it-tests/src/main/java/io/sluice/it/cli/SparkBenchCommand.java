package io.sluice.it.cli;

import io.sluice.bench.spark.SparkBench;
import io.sluice.bench.spark.SparkVariant;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import io.sluice.it.spark.SparkDistribution;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice bench spark}. */
@Command(
    name = "spark",
    description = "Measures shuffles in Spark, stock and through Sluice in turn, with spread.",
    mixinStandardHelpOptions = true)
final class SparkBenchCommand implements Callable<Integer> {
  @Option(
      names = "--rows",
      defaultValue = "10000000",
      description = "Rows of every shuffle (default: ${DEFAULT-VALUE}).")
  private long rows;

  @Mixin private RunsOption runs;

  @Option(
      names = "--on-tmpfs",
      description =
          "Only Sluice and stock with its local directories on tmpfs, in half of the time.")
  private boolean onTmpfs;

  @Option(
      names = "--encrypted",
      description =
          "Sluice and stock, with local directories on tmpfs, without and with"
              + " spark.network.crypto.enabled.")
  private boolean encrypted;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (onTmpfs && encrypted) {
      throw new ParameterException(spec.commandLine(), "--encrypted is on tmpfs already");
    }
    Workspace workspace = Workspace.find();
    SparkDistribution spark = SparkDistribution.locate(SparkDistribution.DEFAULT_VERSION);
    List<SparkVariant> variants = SparkVariant.ALL;
    String name = "bench-spark";
    if (encrypted) {
      variants = SparkVariant.ENCRYPTED;
      name = "bench-spark-encrypted";
    } else if (onTmpfs) {
      variants = SparkVariant.ON_TMPFS;
      name = "bench-spark-tmpfs";
    }
    new SparkBench(workspace, Console.standard(), spark, rows, true, variants)
        .run(runs.count(), new ResultFiles(workspace.results()), name);
    return 0;
  }
}
