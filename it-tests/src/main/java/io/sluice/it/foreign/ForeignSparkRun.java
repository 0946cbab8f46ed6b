package io.sluice.it.foreign;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.SparkDistribution;
import io.sluice.it.spark.SparkJob;
import io.sluice.it.spark.SparkSubmit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Runs a program for Spark by {@code spark-submit}, on two executors: by Spark's shuffle manager,
 * or by Sluice's, which may leave nothing to Spark's and must have served something.
 *
 * <p>Not thread-safe. What it writes lies below the directory it is given, which its caller owns.
 * Failure: {@link ClusterException}.
 */
final class ForeignSparkRun {
  private static final Duration DEADLINE = Duration.ofMinutes(15);

  private final Workspace workspace;
  private final ForeignProgram program;
  private final SparkDistribution spark = SparkDistribution.underTest();
  private final Path directory;
  private final Path driver;

  /** Compiles the programs' sources, the listener's among them. */
  ForeignSparkRun(Workspace workspace, ForeignProgram program, Path directory) {
    this.workspace = workspace;
    this.program = program;
    this.directory = directory;
    requirePython();
    this.driver =
        ForeignDriver.compile(
            program.directory(workspace).resolve("src"),
            List.of(spark.home().resolve("jars")),
            made(directory.resolve("driver")));
  }

  /** By Spark's. */
  ForeignOutput byStock(String way) {
    Path place = made(directory.resolve(way));
    return submit(place, job(place));
  }

  /** By Sluice's. */
  ForeignOutput bySluice(String way) {
    Path place = made(directory.resolve(way));
    ForeignOutput output =
        submit(
            place,
            job(place).throughSluice(workspace).with("spark.sluice.fallback.policy", "never"));
    ServedBytes.require(metrics(place));
    return output;
  }

  private SparkJob job(Path place) {
    SparkJob job =
        new SparkJob(
                program.title(),
                program.isOfPython() ? program.pythonFile(workspace) : driver,
                program.isOfPython() ? "" : program.sparkClass(),
                program.hasJars() ? ForeignJars.files(workspace, program) : List.of(),
                ServedBytes.settings(made(metrics(place))),
                List.of(place.resolve("out").toString()),
                DEADLINE)
            .with("spark.extraListeners", "foreign.spark.ShuffleRecords");
    return program.isOfPython()
        ? job.withJar(driver).with("spark.pyspark.python", PythonPackages.python(workspace))
        : job;
  }

  private void requirePython() {
    if (program.isOfPython() && !Files.isDirectory(spark.home().resolve("python"))) {
      throw new ClusterException(
          "%s has no part for Python; run: ./sluice fetch-spark %s"
              .formatted(spark.home(), spark.version()));
    }
  }

  private ForeignOutput submit(Path place, SparkJob job) {
    try (SparkSubmit submit = new SparkSubmit(spark, place)) {
      Path log = place.resolve("log");
      Files.writeString(log, submit.run(SparkSubmit.LOCAL_CLUSTER, job).printed());
      return ForeignOutput.read(place.resolve("out"), log);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write what the driver printed into " + place, e);
    }
  }

  private static Path metrics(Path place) {
    return place.resolve("metrics");
  }

  private static Path made(Path path) {
    try {
      return Files.createDirectories(path);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make " + path, e);
    }
  }
}
