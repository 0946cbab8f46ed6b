package io.sluice.it.spark;

import static java.util.stream.Collectors.joining;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.jobs.LossJob;
import io.sluice.it.spark.jobs.LossJob.Loss;
import io.sluice.it.spark.jobs.PersistArguments;
import io.sluice.it.spark.jobs.PersistBenchmarkJob;
import io.sluice.it.spark.jobs.ShuffleArguments;
import io.sluice.it.spark.jobs.ShuffleJob;
import io.sluice.it.spark.jobs.ShufflePlanJob;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShufflePlan;
import io.sluice.it.spark.jobs.TpchJob;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A job as {@code spark-submit} gets it.
 *
 * @param name for people: messages
 * @param jar the program's jar, or its file of Python
 * @param mainClass of the program; empty if it is one of Python
 * @param jars more of them, for driver and executors ({@code --jars})
 * @param settings passed as {@code --conf}
 * @param arguments the program's own
 * @param deadline after which the job is killed
 */
public record SparkJob(
    String name,
    Path jar,
    String mainClass,
    List<Path> jars,
    Map<String, String> settings,
    List<String> arguments,
    Duration deadline) {
  /** Spark's own manager. */
  public static final String STOCK_MANAGER = "org.apache.spark.shuffle.sort.SortShuffleManager";

  /** The class that the setting names. */
  public static final String SLUICE_MANAGER = "io.sluice.spark.SluiceShuffleManager";

  /** Kryo in place of Java's serialization. */
  public static final Map<String, String> KRYO =
      Map.of(
          "spark.serializer", "org.apache.spark.serializer.KryoSerializer",
          "spark.kryo.registrator", "io.sluice.it.spark.jobs.ResultSummary$KryoRecords");

  private static final Duration DEADLINE = Duration.ofMinutes(10);
  private static final Duration LONG_DEADLINE = Duration.ofMinutes(30);

  /** {@link ShuffleJob}. */
  public static SparkJob shuffle(Workspace workspace, ShuffleArguments arguments) {
    return shuffles(workspace, List.of(arguments));
  }

  /** {@link ShuffleJob}, with several shuffles one after the other. */
  public static SparkJob shuffles(Workspace workspace, List<ShuffleArguments> all) {
    return of(
        workspace,
        all.stream().map(each -> each.workload().name()).distinct().collect(joining(", ")),
        ShuffleJob.class,
        all.stream().flatMap(each -> each.toList().stream()).toList(),
        DEADLINE);
  }

  /** {@link LossJob}. */
  public static SparkJob loss(Workspace workspace, Loss loss, ShuffleArguments rows) {
    List<String> arguments = new ArrayList<>(List.of(loss.name()));
    arguments.addAll(rows.toList());
    return of(workspace, loss.name(), LossJob.class, arguments, DEADLINE);
  }

  /** {@link ShufflePlanJob}. */
  public static SparkJob plan(Workspace workspace, String name, ShufflePlan plan) {
    return of(workspace, name, ShufflePlanJob.class, List.of(plan.toJson()), LONG_DEADLINE);
  }

  /** {@link PersistBenchmarkJob}, with several measurements one after the other. */
  public static SparkJob persistBenchmarks(Workspace workspace, List<PersistArguments> all) {
    return of(
        workspace,
        "benchmarks over blocks as " + all.get(0).level(),
        PersistBenchmarkJob.class,
        all.stream().flatMap(each -> each.toList().stream()).toList(),
        LONG_DEADLINE);
  }

  /** {@link TpchJob}, with the queries that are published with Spark's own suites. */
  public static SparkJob tpch(
      Workspace workspace, double scale, int partitions, long seed, List<Integer> queries) {
    List<String> arguments = new ArrayList<>();
    arguments.add(workspace.sparkSuites().resolve("tpch").toString());
    arguments.addAll(
        List.of(Double.toString(scale), Integer.toString(partitions), Long.toString(seed)));
    queries.forEach(query -> arguments.add(query.toString()));
    return of(workspace, "TPC-H", TpchJob.class, arguments, LONG_DEADLINE);
  }

  private static SparkJob of(
      Workspace workspace, String name, Class<?> job, List<String> arguments, Duration deadline) {
    Path jar = workspace.sparkJobsJar();
    return new SparkJob(name, jar, job.getName(), List.of(), Map.of(), arguments, deadline);
  }

  public SparkJob with(Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.putAll(more);
    return new SparkJob(name, jar, mainClass, jars, all, arguments, deadline);
  }

  public SparkJob with(String key, Object value) {
    return with(Map.of(key, value.toString()));
  }

  public SparkJob withJar(Path more) {
    List<Path> all = new ArrayList<>(jars);
    all.add(more);
    return new SparkJob(name, jar, mainClass, all, settings, arguments, deadline);
  }

  /** The same through Sluice, on the release that tests run on: its jar and the one setting. */
  public SparkJob throughSluice(Workspace workspace) {
    return throughSluice(workspace, SparkDistribution.versionUnderTest());
  }

  /** The same through Sluice on this release. */
  SparkJob throughSluice(Workspace workspace, String version) {
    Path jar = workspace.sparkEngineJar();
    SparkJob ours = with("spark.shuffle.manager", SLUICE_MANAGER);
    return SparkDistribution.needsClassPath(version)
        ? ours.with("spark.driver.extraClassPath", jar).with("spark.executor.extraClassPath", jar)
        : ours.withJar(jar);
  }

  public SparkJob withDeadline(Duration other) {
    return new SparkJob(name, jar, mainClass, jars, settings, arguments, other);
  }
}
