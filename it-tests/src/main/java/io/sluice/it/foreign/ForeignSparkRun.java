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
import java.util.Map;
import java.util.stream.Stream;

/**
 * Runs a program for Spark by {@code spark-submit}, on two executors: by Spark's shuffle manager,
 * or by Sluice's, which may leave nothing to Spark's and must have served something.
 *
 * <p>Not thread-safe. Its files lie below the directory that it is given, which its caller owns.
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
            directory.resolve("driver"));
  }

  /** By Spark's. */
  ForeignOutput byStock(String way) {
    Path place = ForeignRun.create(directory.resolve(way));
    return submit(place, job(place));
  }

  /** By Sluice's. */
  ForeignOutput bySluice(String way) {
    Path place = ForeignRun.create(directory.resolve(way));
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
                ServedBytes.settings(ForeignRun.create(metrics(place))),
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

  /**
   * The bytes of shuffles that executors have read out of pools, in files that Spark's sink for CSV
   * writes of each executor's metrics, the last time when it stops. Stateless.
   *
   * <p>Failure: {@link ClusterException} if it is none. An equal output says nothing of Sluice
   * then.
   */
  static final class ServedBytes {
    private static final String SINK = "spark.metrics.conf.executor.sink.csv.";
    private static final String READ = ".+\\.sluice\\.read\\.(?!spark\\.)[^.]+\\.bytes\\.csv";

    private ServedBytes() {}

    /** Settings by which executors write the files into a directory, which must be there. */
    static Map<String, String> settings(Path directory) {
      return Map.of(
          SINK + "class", "org.apache.spark.metrics.sink.CsvSink",
          SINK + "directory", directory.toString(),
          SINK + "period", "5",
          SINK + "unit", "seconds");
    }

    /** Their sum over all executors. */
    static long require(Path directory) {
      try (Stream<Path> files = Files.list(directory)) {
        long bytes =
            files
                .filter(file -> file.getFileName().toString().matches(READ))
                .mapToLong(ServedBytes::last)
                .sum();
        if (bytes == 0) {
          throw new ClusterException("Sluice served no byte of the program's shuffles");
        }
        return bytes;
      } catch (IOException e) {
        throw new UncheckedIOException("cannot list " + directory, e);
      }
    }

    /** The value of the last line; the first has the columns' names, the time and the value. */
    private static long last(Path file) {
      try {
        List<String> lines = Files.readAllLines(file);
        if (lines.size() < 2) {
          return 0; // its executor was ended before it wrote one
        }
        String last = lines.get(lines.size() - 1);
        return Long.parseLong(last.substring(last.indexOf(',') + 1));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + file, e);
      }
    }
  }
}
