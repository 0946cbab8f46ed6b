package io.sluice.bench.model;

import io.sluice.bench.model.FittedModel.HeldOut;
import io.sluice.bench.model.Measurements.Storage;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.Machine;
import io.sluice.it.spark.SparkDistribution;
import io.sluice.it.spark.SparkJob;
import io.sluice.it.spark.SparkSubmit;
import io.sluice.it.spark.jobs.PersistArguments;
import io.sluice.it.spark.jobs.PersistArguments.PersistBenchmark;
import io.sluice.it.spark.jobs.PersistedRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures what the model is fitted to and checked by: the paper's benchmarks over persisted lines
 * of several sizes, in one application for each way of keeping them.
 *
 * <p>Not thread-safe. Failure: {@link ClusterException} if a job fails, a result differs from that
 * over blocks that are kept otherwise, or blocks are not all where they should be.
 */
public final class ModelBench {
  /** How many sizes it takes. */
  public static final int LEAST_SIZES = HeldOut.LEAST_SIZES;

  private static final int EXECUTORS = 2;
  private static final String MASTER = "local-cluster[%d,1,2048]".formatted(EXECUTORS);

  /** Four for each core: a stage is then more than its longest task. */
  private static final int BLOCKS = 4 * EXECUTORS;

  /** Until the compiler has done what it does. */
  private static final int WARM_UP_RUNS = 4;

  private static final int SEED = 7;
  private static final String IN_POOL = " blocks in Sluice's pool";
  private static final String NO_FILES = "left to files: {}";

  private final Workspace workspace;
  private final Console console;
  private final SparkDistribution spark;
  private final List<Long> sizes;
  private final int runs;

  /**
   * Runs nothing yet.
   *
   * @param sizes of LineCounter's lines, in bytes
   * @param runs how often each benchmark runs over the same blocks
   */
  public ModelBench(
      Workspace workspace, Console console, SparkDistribution spark, List<Long> sizes, int runs) {
    this.workspace = workspace;
    this.console = console;
    this.spark = spark;
    this.sizes = sizes.stream().sorted().toList();
    this.runs = runs;
  }

  /** Runs everything. */
  public Measurements run() {
    List<Measurements.Measured> measured = new ArrayList<>();
    try (SparkSubmit submit = new SparkSubmit(spark, workspace.clusters())) {
      for (Storage storage : Storage.values()) {
        console
            .step("Blocks in " + storage.title(), () -> run(submit, storage))
            .forEach(run -> measured.add(new Measurements.Measured(storage, run)));
      }
    }
    checkEqual(measured);
    console.say("all results agree");
    return new Measurements(Machine.here(), spark.version(), EXECUTORS, measured);
  }

  private List<PersistedRun> run(SparkSubmit submit, Storage storage) {
    List<PersistArguments> warmUp = new ArrayList<>();
    List<PersistArguments> counted = new ArrayList<>();
    for (PersistBenchmark benchmark : PersistBenchmark.values()) {
      if (!benchmark.isRemote() || storage == Storage.SERIALIZED) {
        warmUp.add(arguments(storage, benchmark, sizes.get(sizes.size() / 2), WARM_UP_RUNS));
        sizes.forEach(size -> counted.add(arguments(storage, benchmark, size, runs)));
      }
    }
    List<PersistArguments> all = new ArrayList<>(warmUp);
    all.addAll(counted);
    SparkJob job =
        SparkJob.persistBenchmarks(workspace, all)
            .with("spark.executor.memory", "2g")
            .with("spark.shuffle.manager", "sort"); // the plugin is the switch for ours, too
    SparkJob kept =
        storage == Storage.POOL
            ? job.withJar(workspace.sparkEngineJar())
                .with("spark.plugins", "io.sluice.spark.SluicePlugin")
                .with("spark.sluice.persistence.enabled", true)
            : job;
    List<PersistedRun> reports = submit.run(MASTER, kept).reports(PersistedRun.class);
    reports.forEach(report -> checkPlace(storage, report));
    return reports.subList(warmUp.size(), reports.size());
  }

  private static PersistArguments arguments(
      Storage storage, PersistBenchmark benchmark, long size, int runs) {
    return new PersistArguments(
        storage.level(), benchmark, size / divisor(benchmark), BLOCKS, runs, SEED);
  }

  /** As in the paper, those that shuffle have less to read. */
  private static int divisor(PersistBenchmark benchmark) {
    return switch (benchmark) {
      case LINE_COUNTER, LINE_COUNTER_REMOTE -> 1;
      case WORD_COUNT_REDUCE -> 4;
      case WORD_COUNT_GROUP -> 16;
    };
  }

  private static void checkPlace(Storage storage, PersistedRun report) {
    boolean inMemory = report.memoryBytes() > 0 && report.diskBytes() == 0;
    boolean elsewhere = report.memoryBytes() == 0 && report.diskBytes() > 0;
    if (report.keptBlocks() != BLOCKS || !(storage.isSparksMemory() ? inMemory : elsewhere)) {
      throw new ClusterException(
          "%d of %d blocks are kept, %,d bytes in memory and %,d elsewhere: give smaller --sizes; %s"
              .formatted(
                  report.keptBlocks(),
                  BLOCKS,
                  report.memoryBytes(),
                  report.diskBytes(),
                  report.stores()));
    }
    int inPool = report.stores().values().stream().mapToInt(ModelBench::blocksInPool).sum();
    if (inPool != (storage == Storage.POOL ? BLOCKS : 0)) {
      throw new ClusterException(
          "blocks in %s, and %d of %d are in a pool: %s"
              .formatted(storage.title(), inPool, BLOCKS, report.stores()));
    }
    if (report.benchmark().isRemote()) {
      checkRemote(report);
    }
  }

  /** Reads it from what a store says of itself; 0 for Spark's store, or if blocks went to files. */
  private static int blocksInPool(String store) {
    int end = store.indexOf(IN_POOL);
    return end > 0 && store.endsWith(NO_FILES) ? Integer.parseInt(store.substring(0, end)) : 0;
  }

  private static void checkRemote(PersistedRun report) {
    report
        .runs()
        .forEach(
            stages ->
                stages
                    .get(0)
                    .tasks()
                    .forEach(
                        task -> {
                          if (task.executor().equals(report.load().get(task.partition()))) {
                            throw new ClusterException(
                                "%s ran where its block is, on executor %s"
                                    .formatted(task, task.executor()));
                          }
                        }));
  }

  private static void checkEqual(List<Measurements.Measured> measured) {
    Map<String, Measurements.Measured> first = new HashMap<>();
    for (Measurements.Measured each : measured) {
      PersistBenchmark benchmark =
          each.run().benchmark().isRemote()
              ? PersistBenchmark.LINE_COUNTER
              : each.run().benchmark();
      Measurements.Measured known =
          first.putIfAbsent(benchmark + " of " + each.run().textBytes(), each);
      if (known != null && !known.run().digest().equals(each.run().digest())) {
        throw new ClusterException(
            "%s of %,d bytes gives %s over blocks in %s, and %s in %s"
                .formatted(
                    each.run().benchmark().title(),
                    each.run().textBytes(),
                    known.run().digest(),
                    known.storage().title(),
                    each.run().digest(),
                    each.storage().title()));
      }
    }
  }
}
