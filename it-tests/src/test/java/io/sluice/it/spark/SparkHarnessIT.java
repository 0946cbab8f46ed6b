package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.jobs.ShuffleArguments;
import io.sluice.it.spark.jobs.ShuffleCosts;
import io.sluice.it.spark.jobs.ShuffleJob.ShuffleReport;
import io.sluice.it.spark.jobs.Workload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ways in which tests run Spark, with Spark as it is released. */
@Tag("campaign")
class SparkHarnessIT {

  private static final long ROWS = 20_000;

  /** Of the jobs' result, on every engine. */
  private static final String DIGEST = "fc43d44b00809e37";

  private static SparkDistribution stock;

  private final Workspace workspace = Workspace.find();
  private SparkSubmit submit;

  @TempDir Path directory;

  @BeforeAll
  static void locate() {
    stock = SparkDistribution.underTest();
  }

  @BeforeEach
  void create() {
    submit = new SparkSubmit(stock, directory);
  }

  @AfterEach
  void nothingIsLeft() {
    submit.close();
    assertEquals(List.of(), processes(), "processes");
    assertEquals(0, directory.toFile().list().length, "files");
  }

  @Test
  void oneProcessGivesTheResult() {
    ShuffleReport report = run(SparkSubmit.LOCAL);
    assertResult(report, "driver");
    assertEquals(0, report.costs().remoteBytesRead());
  }

  @Test
  void aLocalClusterGivesTheResultAgainAndAgain() {
    for (int i = 0; i < 2; i++) {
      ShuffleReport report = run(SparkSubmit.LOCAL_CLUSTER);
      assertResult(report, "0", "1");
      assertTrue(report.costs().remoteBytesRead() > 0, report.toString());
    }
  }

  @Test
  void aStandaloneClusterGivesTheResult() {
    try (SparkStandalone cluster = SparkStandalone.start(stock, directory)) {
      ShuffleReport report = run(cluster.master());
      cluster.requireAlive();
      assertResult(report, "0", "1");
      assertTrue(report.costs().remoteBytesRead() > 0, report.toString());
    }
  }

  @Test
  void aFailedJobTellsWhatTheDriverSaid() {
    SparkJob job = job(-1);
    String message =
        assertThrows(ClusterException.class, () -> submit.run(SparkSubmit.LOCAL, job)).getMessage();
    assertAll(
        () -> assertTrue(message.contains("REPARTITION failed with exit status 1"), message),
        () -> assertTrue(message.contains("spark.sql.shuffle.partitions"), message));
  }

  /** With executors or, on a slow machine, before: what has been started is killed. */
  @Test
  void aJobThatIsNotDoneInTimeIsKilled() {
    SparkJob job = job(1_000_000).withDeadline(Duration.ofSeconds(8));
    ClusterException failure =
        assertThrows(ClusterException.class, () -> submit.run(SparkSubmit.LOCAL_CLUSTER, job));
    assertTrue(failure.getMessage().contains("not done after 8 s"), failure.getMessage());
    assertEquals(List.of(), processes());
  }

  private SparkJob job(int partitions) {
    return QuickJvms.of(
        SparkJob.shuffle(
            workspace, new ShuffleArguments(Workload.REPARTITION, ROWS, partitions, 7)));
  }

  private ShuffleReport run(String master) {
    return submit.run(master, job(6)).report(ShuffleReport.class);
  }

  private static void assertResult(ShuffleReport report, String... executors) {
    Map<String, String> managers =
        Stream.of(executors).collect(Collectors.toMap(id -> id, id -> SparkJob.STOCK_MANAGER));
    ShuffleCosts costs = report.costs();
    assertAll(
        () -> assertEquals(ROWS, report.count()),
        () -> assertEquals(DIGEST, report.digest()),
        () -> assertEquals(SparkJob.STOCK_MANAGER, report.driverShuffleManager()),
        () -> assertEquals(managers, report.executorShuffleManagers()),
        () -> assertEquals(ROWS, costs.recordsRead()),
        () -> assertTrue(costs.localBytesRead() > 0, costs.toString()),
        () -> assertEquals(costs.bytesWritten(), costs.localBytesRead() + costs.remoteBytesRead()));
  }

  private List<String> processes() {
    return ProcessHandle.allProcesses()
        .map(process -> process.info().commandLine().orElse(""))
        .filter(line -> line.contains(directory.toString()))
        .toList();
  }
}
