package io.sluice.it.cli;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.MarkedSection;
import io.sluice.it.report.ResultFiles;
import io.sluice.it.spark.MatrixResult;
import io.sluice.it.spark.MatrixResult.MatrixCell;
import io.sluice.it.spark.SparkDistribution;
import io.sluice.it.spark.SparkMatrix;
import io.sluice.it.spark.SparkMatrix.Jdk;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ScopeType;

/** {@code sluice matrix}. */
@Command(
    name = "matrix",
    description = "Shows which releases Sluice works with, and writes the table of them.",
    subcommands = MatrixCommand.Spark.class,
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT)
final class MatrixCommand {
  @Mixin private SharedOptions.Install install;

  /** {@code sluice matrix spark}: status 0 only if Sluice did wherever stock Spark runs. */
  @Command(
      name = "spark",
      description =
          "Runs the workloads on all releases of Spark and all JDKs of this host, without and with"
              + " Sluice. It writes docs/spark-releases.md and docs/results/spark-matrix.json.")
  static final class Spark implements Callable<Integer> {
    @Override
    public Integer call() {
      Workspace workspace = Workspace.find();
      Console console = Console.standard();
      MatrixResult result =
          new SparkMatrix(workspace, console)
              .run(SparkDistribution.VERSIONS, List.copyOf(Jdk.ofThisHost().values()));
      console.say(result.table().toText());
      console.say(
          "results: "
              + new ResultFiles(workspace.publishedResults()).json(MatrixResult.NAME, result));
      new MarkedSection(workspace.sparkReleases(), MatrixResult.NAME)
          .write(result.table().toMarkdown());
      return result.cells().stream().allMatch(MatrixCell::passed) ? 0 : 1;
    }
  }
}
