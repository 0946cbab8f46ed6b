package io.sluice.it.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.LogTail;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Runs jobs by {@code spark-submit}, one after the other, each in a process of its own.
 *
 * <p>Not thread-safe. Its creator closes it, which removes the files of the runs; see {@link
 * SparkDirectory}.
 *
 * <p>Failure: {@link ClusterException} with the end of what the driver wrote, if the job fails or
 * is not done at its deadline. In the latter case the driver and its executors are killed; those of
 * a standalone cluster are the cluster's to end.
 */
public final class SparkSubmit implements AutoCloseable {
  /** Driver and executor in one process, with two threads. */
  public static final String LOCAL = "local[2]";

  /** A driver that starts two executors with a core each, as processes. */
  public static final String LOCAL_CLUSTER = "local-cluster[2,1,1024]";

  private static final int TAIL_LINES = 60;

  private final SparkDirectory directory;
  private final Map<String, String> environment;
  private int runs;

  /** The runs keep everything in a new directory below the given one. */
  public SparkSubmit(SparkDistribution distribution, Path parent) {
    this(distribution, parent, Map.of());
  }

  /** The same with more in the environment, such as where Hadoop's configuration is. */
  public SparkSubmit(SparkDistribution distribution, Path parent, Map<String, String> environment) {
    this.directory = SparkDirectory.create(distribution, parent);
    this.environment = environment;
  }

  /** Runs a job to its end, and to that of its driver's executors, who may take longer. */
  public SparkResult run(String master, SparkJob job) {
    runs++;
    Path place = directory.makePlace("run" + runs);
    Path printed = place.resolve("stdout");
    Path log = place.resolve("stderr");
    Map<String, String> settings = settings(place);
    settings.putAll(job.settings());
    Process driver =
        directory.start(
            place, "spark-submit", arguments(master, job, settings), environment, printed, log);
    if (!awaitExit(driver, job)) {
      throw new ClusterException(
          "%s is not done after %d s and was killed; %s"
              .formatted(job.name(), job.deadline().toSeconds(), tails(printed, log)));
    }
    if (driver.exitValue() != 0) {
      throw new ClusterException(
          "%s failed with exit status %d; %s"
              .formatted(job.name(), driver.exitValue(), tails(printed, log)));
    }
    directory.awaitProcesses();
    return new SparkResult(job, read(printed), read(log), place);
  }

  /** Whether the driver ended by itself; if not, it and what it started has been killed. */
  private boolean awaitExit(Process driver, SparkJob job) {
    boolean ended = false;
    try {
      ended = driver.waitFor(job.deadline().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while running " + job.name(), e);
    } finally {
      if (!ended) {
        directory.endProcesses();
      }
    }
    return ended;
  }

  private static Map<String, String> settings(Path place) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("spark.ui.enabled", "false");
    settings.put("spark.local.dir", place.resolve("local").toString());
    settings.put("spark.sql.warehouse.dir", place.resolve("warehouse").toUri().toString());
    settings.put("spark.eventLog.enabled", "true");
    settings.put("spark.eventLog.dir", events(place).toUri().toString());
    // Both executors from the first task on: their number is known by the cores a job may have.
    settings.put("spark.cores.max", "2");
    settings.put("spark.scheduler.minRegisteredResourcesRatio", "1");
    settings.put("spark.scheduler.maxRegisteredResourcesWaitingTime", "5min");
    // Executors stand for hosts: without this they read each other's files (local-cluster's default
    // is the same).
    settings.put("spark.shuffle.readHostLocalDisk", "false");
    // Nor do reduce tasks all wait for the executor that was quicker and ran most of the maps.
    settings.put("spark.shuffle.reduceLocality.enabled", "false");
    return settings;
  }

  /** Spark makes its other directories itself. */
  private static Path events(Path place) {
    try {
      return Files.createDirectory(place.resolve("events"));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make a directory for event logs in " + place, e);
    }
  }

  private static List<String> arguments(String master, SparkJob job, Map<String, String> settings) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--master", master));
    if (!job.mainClass().isEmpty()) {
      arguments.addAll(List.of("--class", job.mainClass()));
    }
    if (!job.jars().isEmpty()) {
      arguments.add("--jars");
      arguments.add(job.jars().stream().map(Path::toString).collect(Collectors.joining(",")));
    }
    settings.forEach((key, value) -> arguments.addAll(List.of("--conf", key + "=" + value)));
    arguments.add(job.jar().toString());
    arguments.addAll(job.arguments());
    return arguments;
  }

  private static String tails(Path printed, Path log) {
    return "the end of what the driver printed:%n%s%nand logged:%n%s"
        .formatted(LogTail.of(printed, TAIL_LINES), LogTail.of(log, TAIL_LINES));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }

  /** Leaves logs and event logs behind when this is closed, to be looked at. */
  public void keepDirectory() {
    directory.keepDirectory();
  }

  @Override
  public void close() {
    directory.close();
  }

  /**
   * A job that ended well.
   *
   * @param job what was asked for
   * @param printed standard output of the driver
   * @param log standard error of the driver, where Spark logs to
   * @param place with {@code events}, and with the logs of a local cluster's executors in {@code
   *     home/work}; gone when the {@link SparkSubmit} is closed
   */
  public record SparkResult(SparkJob job, String printed, String log, Path place) {

    /** Reads the one line of JSON that the job printed. */
    public <T> T report(Class<T> type) {
      List<T> all = reports(type);
      if (all.size() != 1) {
        throw new ClusterException(
            "%s: expected one line of JSON, got %d in what was printed:%n%s"
                .formatted(job.name(), all.size(), printed));
      }
      return all.get(0);
    }

    /** Reads each line of JSON that the job printed. */
    public <T> List<T> reports(Class<T> type) {
      return printed
          .lines()
          .filter(line -> line.startsWith("{"))
          .map(line -> read(line, type))
          .toList();
    }

    private <T> T read(String line, Class<T> type) {
      try {
        return new ObjectMapper().readValue(line, type);
      } catch (JsonProcessingException e) {
        throw new ClusterException(
            "%s: not a %s: %s".formatted(job.name(), type.getSimpleName(), line), e);
      }
    }
  }
}
