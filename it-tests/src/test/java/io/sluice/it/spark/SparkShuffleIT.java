package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.jobs.ShuffleArguments;
import io.sluice.it.spark.jobs.ShuffleReport;
import io.sluice.it.spark.jobs.Workload;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Jobs through Sluice on two executors of stock Spark, against stock Spark's own shuffle: equal
 * results, and every remote byte out of a pool.
 */
class SparkShuffleIT {
  private static final String MANAGER = "io.sluice.spark.SluiceShuffleManager";
  private static final Map<String, String> SWITCH = Map.of("spark.shuffle.manager", MANAGER);
  private static final Pattern READ_OVER_TCP = Pattern.compile("tcp=(\\d+)");
  private static final long ROWS = 20_000;
  private static final int FEW_PARTITIONS = 6;

  private final Workspace workspace = Workspace.find();
  private final SparkDistribution spark =
      SparkDistribution.locate(
          System.getProperty("sluice.spark", SparkDistribution.DEFAULT_VERSION));
  private SparkSubmit submit;

  @TempDir Path directory;

  @BeforeEach
  void create() {
    submit = new SparkSubmit(spark, directory);
  }

  @AfterEach
  void close() {
    submit.close();
  }

  @ParameterizedTest
  @EnumSource
  void everyWorkloadGivesStocksResult(Workload workload) {
    assertEqualsStock(SparkSubmit.LOCAL_CLUSTER, job(workload, FEW_PARTITIONS));
  }

  /**
   * More partitions than have streams of their own; rows can be sorted in their serialized form.
   */
  @ParameterizedTest
  @EnumSource(names = {"SQL_SORT", "SQL_JOIN"})
  void manyPartitionsGiveStocksResult(Workload workload) {
    assertEqualsStock(
        SparkSubmit.LOCAL_CLUSTER,
        job(workload, 250).with("spark.sql.adaptive.coalescePartitions.enabled", "false"));
  }

  @Test
  void encryptedBlocksGiveStocksResult() {
    assertEqualsStock(
        SparkSubmit.LOCAL_CLUSTER,
        job(Workload.SORT_BY_KEY, FEW_PARTITIONS).with("spark.io.encryption.enabled", "true"));
  }

  @Test
  void aStandaloneClusterGivesStocksResult() {
    try (SparkStandalone cluster = SparkStandalone.start(spark, directory)) {
      assertEqualsStock(cluster.master(), job(Workload.GROUP_BY_KEY, FEW_PARTITIONS));
      cluster.requireAlive();
    }
  }

  private SparkJob job(Workload workload, int partitions) {
    return QuickJvms.of(
        SparkJob.shuffle(workspace, new ShuffleArguments(workload, ROWS, partitions, 7)));
  }

  private void assertEqualsStock(String master, SparkJob job) {
    ShuffleReport stock = submit.run(SparkSubmit.LOCAL, job).report(ShuffleReport.class);
    ShuffleReport ours =
        submit
            .run(master, job.withJar(workspace.sparkEngineJar()).with(SWITCH))
            .report(ShuffleReport.class);
    String said = ours.executorStates().toString();
    assertAll(
        () -> assertEquals(stock.digest(), ours.digest()),
        () -> assertEquals(stock.count(), ours.count()),
        () -> assertEquals(stock.sorted(), ours.sorted()),
        () -> assertEquals(MANAGER, ours.driverShuffleManager()),
        () -> assertEquals(Set.of(MANAGER), Set.copyOf(ours.executorShuffleManagers().values())),
        () -> assertEquals(Set.of("0", "1"), ours.executorStates().keySet()),
        () -> assertEquals(0, ours.costs().failedTasks()),
        () -> assertTrue(ours.costs().remoteBytesRead() > 0, "blocks moved"),
        () -> assertEquals(ours.costs().remoteBytesRead(), bytesOverTcp(said), said),
        () -> assertTrue(!said.replace("left to Spark: {}", "").contains("left to Spark"), said));
  }

  private static long bytesOverTcp(String states) {
    return READ_OVER_TCP
        .matcher(states)
        .results()
        .map((MatchResult result) -> result.group(1))
        .mapToLong(Long::parseLong)
        .sum();
  }
}
