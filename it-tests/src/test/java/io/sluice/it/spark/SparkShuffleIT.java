package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.jobs.ShuffleArguments;
import io.sluice.it.spark.jobs.ShuffleReport;
import io.sluice.it.spark.jobs.Workload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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
  private static final String MANAGER = SparkJob.SLUICE_MANAGER;
  private static final Pattern READ_OVER_TCP = Pattern.compile("tcp=(\\d+)");
  private static final long ROWS = 20_000;
  private static final int FEW_PARTITIONS = 6;
  private static final Duration JOB_DEADLINE = Duration.ofMinutes(5);

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

  @Test
  void anExecutorThatIsKilledWhileItWritesCostsARetryAndNoRecord() throws IOException {
    Path pools = Files.createDirectory(directory.resolve("pools"));
    SparkJob job = job(Workload.GROUP_BY_KEY, FEW_PARTITIONS, 400_000);
    ShuffleReport stock = submit.run(SparkSubmit.LOCAL, job).report(ShuffleReport.class);
    CompletableFuture<SparkResult> running =
        CompletableFuture.supplyAsync(
            () ->
                submit.run(
                    SparkSubmit.LOCAL_CLUSTER,
                    job.throughSluice(workspace).with("spark.sluice.pool.dir", pools)));
    Poll.untilTrue(
        "executor 0 to write its first output",
        JOB_DEADLINE,
        () -> Optional.of(running.isDone() || exists(pools, ".*-0/control.sock")));
    List<ProcessHandle> executors = executors("0");
    executors.forEach(ProcessHandle::destroyForcibly);
    ShuffleReport report = running.join().report(ShuffleReport.class);
    assertAll(
        () -> assertEquals(1, executors.size(), "one executor was killed"),
        () -> assertEquals(stock.digest(), report.digest()),
        () -> assertEquals(stock.count(), report.count()));
  }

  private List<ProcessHandle> executors(String id) {
    return ProcessHandle.allProcesses()
        .filter(
            process -> {
              String line = process.info().commandLine().orElse("");
              return line.contains(directory.toString()) && line.contains("--executor-id " + id);
            })
        .toList();
  }

  /** Fails with an {@link IOException} if what it walks changes meanwhile. */
  private static boolean exists(Path root, String pattern) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.anyMatch(file -> file.toString().matches(pattern));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private SparkJob job(Workload workload, int partitions) {
    return job(workload, partitions, ROWS);
  }

  private SparkJob job(Workload workload, int partitions, long rows) {
    return QuickJvms.of(
        SparkJob.shuffle(workspace, new ShuffleArguments(workload, rows, partitions, 7)));
  }

  private void assertEqualsStock(String master, SparkJob job) {
    ShuffleReport stock = submit.run(SparkSubmit.LOCAL, job).report(ShuffleReport.class);
    ShuffleReport ours =
        submit.run(master, job.throughSluice(workspace)).report(ShuffleReport.class);
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
