package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.spark.jobs.ShuffleArguments;
import io.sluice.it.spark.jobs.ShufflePlanJob.ContextPlan;
import io.sluice.it.spark.jobs.ShufflePlanJob.ContextReport;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShufflePlan;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShufflePlanReport;
import io.sluice.it.spark.jobs.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Jobs through Sluice on two executors of stock Spark, against stock Spark's own shuffle: equal
 * results, and every remote byte out of a pool. Many shuffles share a driver, and some a context:
 * what takes long is the start of JVMs.
 */
class SparkShuffleIT extends SubmitTestBase {
  private static final long ROWS = 20_000;
  private static final int FEW_PARTITIONS = 6;
  private static final int MANY_PARTITIONS = 250;
  private static final String NOT_JOINED =
      "more than 200 partitions whose streams cannot be cut and joined";

  private static final Map<String, String> SPECULATION =
      Map.of(
          "spark.speculation", "true",
          "spark.speculation.quantile", "0.5");

  /** An idle executor is released, whatever it holds. */
  private static final Map<String, String> RELEASE =
      Map.of(
          "spark.dynamicAllocation.enabled", "true",
          "spark.dynamicAllocation.initialExecutors", "2",
          "spark.dynamicAllocation.executorIdleTimeout", "1s",
          "spark.dynamicAllocation.shuffleTracking.timeout", "1s");

  /** Workloads with the settings that they come with. */
  @Test
  @Tag("campaign")
  void everyWorkloadGivesStocksResult() {
    List<ShuffleArguments> shuffles = new ArrayList<>();
    Workload.BASIC.forEach(workload -> shuffles.add(shuffle(workload, FEW_PARTITIONS)));
    shuffles.add(shuffle(Workload.SQL_LATE_BROADCAST, FEW_PARTITIONS));
    shuffles.add(shuffle(Workload.SKEWED_GROUPS, FEW_PARTITIONS));
    shuffles.add(shuffle(Workload.FEW_KEYS, FEW_PARTITIONS));
    shuffles.add(shuffle(Workload.GROUP_BY_KEY, 1));
    shuffles.add(shuffle(Workload.SQL_SORT, 1));
    shuffles.add(shuffle(Workload.PAGE_RANK, FEW_PARTITIONS));
    shuffles.add(new ShuffleArguments(Workload.TRANSITIVE_CLOSURE, 300, FEW_PARTITIONS, 7));
    shuffles.add(new ShuffleArguments(Workload.STREAM_AGGREGATE, 2_000, FEW_PARTITIONS, 7));
    shuffles.add(new ShuffleArguments(Workload.STREAM_STATE, 2_000, FEW_PARTITIONS, 7));
    List<ContextReport> contexts =
        compare(
            SparkSubmit.LOCAL_CLUSTER,
            new ShufflePlan(List.of(new ContextPlan("every workload", Map.of(), shuffles))));
    assertUndisturbed(contexts);
    Set<String> reads = new TreeSet<>();
    contexts.get(0).results().forEach(result -> reads.addAll(result.adaptiveReads()));
    assertTrue(
        reads.containsAll(Set.of("coalesced and skewed", "coalesced", "local")), reads.toString());
  }

  /** Settings that change what is written, and one that leaves something to Spark. */
  @Test
  void everySettingGivesStocksResult() {
    // Rows can be sorted in their serialized form: more partitions than have streams.
    ContextPlan manyPartitions =
        new ContextPlan(
            "many partitions",
            Map.of("spark.sql.adaptive.coalescePartitions.enabled", "false"),
            List.of(
                shuffle(Workload.SQL_SORT, MANY_PARTITIONS),
                shuffle(Workload.SQL_JOIN, MANY_PARTITIONS)));
    // One task reads thousands of partitions, each with a reader of its own.
    ContextPlan kryo =
        new ContextPlan(
            "Kryo",
            SparkJob.KRYO,
            List.of(
                shuffle(Workload.REDUCE_BY_KEY, FEW_PARTITIONS),
                shuffle(Workload.COGROUP, FEW_PARTITIONS),
                shuffle(Workload.WIDE, 20_000)));
    ContextPlan encrypted =
        new ContextPlan(
            "encrypted",
            Map.of("spark.io.encryption.enabled", "true"),
            List.of(
                shuffle(Workload.SORT_BY_KEY, FEW_PARTITIONS),
                shuffle(Workload.SQL_JOIN, FEW_PARTITIONS)));
    ContextPlan largeRecords =
        new ContextPlan(
            "records larger than a segment",
            Map.of("spark.sluice.pool.segmentSize", "1m"),
            List.of(new ShuffleArguments(Workload.LARGE_RECORDS, 12, FEW_PARTITIONS, 7)));
    ContextPlan leftToSpark =
        new ContextPlan(
            "Java serialization of many partitions",
            Map.of(),
            List.of(shuffle(Workload.WIDE, MANY_PARTITIONS)));
    List<ContextReport> ours =
        compare(
            SparkSubmit.LOCAL_CLUSTER,
            new ShufflePlan(List.of(manyPartitions, kryo, encrypted, largeRecords, leftToSpark)));
    assertUndisturbed(ours.subList(0, 4));
    assertEquals(Set.of(NOT_JOINED), PlanOracle.fallbacks(ours.get(4)));
  }

  /** On two hosts: a speculative attempt avoids that of the attempt which it overtakes. */
  @Test
  @Tag("campaign")
  void aStandaloneClusterGivesStocksResult() {
    ContextPlan undisturbed =
        new ContextPlan(
            "undisturbed", Map.of(), List.of(shuffle(Workload.GROUP_BY_KEY, FEW_PARTITIONS)));
    ContextPlan speculation =
        new ContextPlan(
            "speculation", SPECULATION, List.of(shuffle(Workload.OVERTAKEN, FEW_PARTITIONS)));
    try (SparkStandalone cluster = SparkStandalone.start(spark, directory)) {
      List<ContextReport> ours =
          compare(cluster.master(), new ShufflePlan(List.of(undisturbed, speculation)));
      cluster.requireAlive();
      ContextReport overtaken = ours.get(1);
      assertUndisturbed(ours.subList(0, 1));
      assertTrue(overtaken.events().speculativeTasks() > 0, overtaken.toString());
      assertEquals(Set.of(), PlanOracle.fallbacks(overtaken));
      // Of an attempt at a reduce that was overtaken too Spark does not count what it has read.
      long uncounted = PlanOracle.served(overtaken) - overtaken.costs().remoteBytesRead();
      boolean onlyTheMap = overtaken.costs().failedTasks() == 1;
      assertTrue(onlyTheMap ? uncounted == 0 : uncounted >= 0, overtaken.toString());
    }
  }

  /** What is lost is computed again, and what dead executors leave is gone in the end. */
  @Test
  void lostExecutorsCostARetryAndNoRecord() throws IOException {
    Path pools = Files.createDirectory(directory.resolve("pools"));
    Map<String, String> settings = Map.of("spark.sluice.pool.dir", pools.toString());
    assertLossesCostNoRecord(
        pools,
        lossy("killed in the map stage", settings, Workload.KILLED_WHILE_MAPPING),
        lossy("killed in the reduce stage", settings, Workload.KILLED_WHILE_REDUCING),
        lossy("undisturbed", settings, Workload.GROUP_BY_KEY));
  }

  @Test
  @Tag("campaign")
  void norDoExecutorsThatGoBetweenStages() throws IOException {
    Path pools = Files.createDirectory(directory.resolve("pools"));
    Map<String, String> settings = Map.of("spark.sluice.pool.dir", pools.toString());
    Map<String, String> release = new HashMap<>(settings);
    release.putAll(RELEASE);
    assertLossesCostNoRecord(
        pools,
        lossy("released", release, Workload.RELEASED),
        lossy("killed between stages", settings, Workload.KILLED_BETWEEN_STAGES),
        lossy("undisturbed", settings, Workload.GROUP_BY_KEY));
  }

  /** The last one is undisturbed. */
  private void assertLossesCostNoRecord(Path pools, ContextPlan... plans) throws IOException {
    List<ContextReport> ours = compare(SparkSubmit.LOCAL_CLUSTER, new ShufflePlan(List.of(plans)));
    int last = plans.length - 1;
    assertAll(
        ours.subList(0, last).stream()
            .map(
                context ->
                    () ->
                        assertTrue(
                            context.events().executorsRemoved() > 0,
                            "some were lost: " + context)));
    assertUndisturbed(ours.subList(last, last + 1));
    assertEquals(List.of(), left(pools), "left in the pools' directory");
  }

  private static ContextPlan lossy(String name, Map<String, String> settings, Workload workload) {
    return new ContextPlan(name, settings, List.of(shuffle(workload, FEW_PARTITIONS)));
  }

  /** All but the file that is locked while pools come and go. */
  private static List<Path> left(Path pools) throws IOException {
    try (Stream<Path> all = Files.walk(pools)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> !file.getFileName().toString().equals(".guard"))
          .toList();
    }
  }

  private static ShuffleArguments shuffle(Workload workload, int partitions) {
    return new ShuffleArguments(workload, ROWS, partitions, 7);
  }

  private static void assertUndisturbed(List<ContextReport> contexts) {
    assertAll(
        contexts.stream()
            .map(
                context ->
                    () -> assertEquals(List.of(), PlanOracle.wrongTraffic(context, Set.of()))));
  }

  /** Runs a plan both ways, and compares the results. */
  private List<ContextReport> compare(String master, ShufflePlan plan) {
    ShufflePlanReport stock =
        submit
            .run(SparkSubmit.LOCAL, job("stock", plan.inOneContext()))
            .report(ShufflePlanReport.class);
    ShufflePlanReport ours =
        submit
            .run(master, job("Sluice", plan).throughSluice(workspace))
            .report(ShufflePlanReport.class);
    PlanOracle oracle = new PlanOracle(stock);
    assertAll(
        ours.contexts().stream()
            .map(context -> () -> assertEquals(List.of(), oracle.wrongResults(context))));
    return ours.contexts();
  }

  private SparkJob job(String name, ShufflePlan plan) {
    return QuickJvms.of(SparkJob.plan(workspace, name, plan));
  }
}
