package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.sluice.it.cluster.QuickStart;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.PlanOracle;
import io.sluice.it.spark.PlanOracle.ShuffleState;
import io.sluice.it.spark.SparkDistribution;
import io.sluice.it.spark.SparkJob;
import io.sluice.it.spark.SparkStandalone;
import io.sluice.it.spark.SparkSubmit;
import io.sluice.it.spark.jobs.ShuffleArguments;
import io.sluice.it.spark.jobs.ShufflePlanJob.ContextPlan;
import io.sluice.it.spark.jobs.ShufflePlanJob.ContextReport;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShufflePlan;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShufflePlanReport;
import io.sluice.it.spark.jobs.Workload;
import io.sluice.node.client.ReadStats;
import io.sluice.rdma.LabTransport;
import io.sluice.rdma.transport.DeviceCounters;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Shuffles between two executors of stock Spark at the address of an RDMA device, each with one map
 * and one reduce task at a time: what an executor has written, it reads itself, and the other reads
 * it over the device. One driver runs Spark's own shuffle first, in its own JVM, and then Sluice's:
 * another driver would cost an emulator a minute.
 *
 * <p>On one host the driver starts the executors. On two, a standalone cluster's Workers do, one on
 * each host.
 */
@EnabledIfSystemProperty(
    named = LabCluster.SHARE,
    matches = ".+",
    disabledReason = "not in the lab's guest; ./sluice lab spark runs this")
class SparkOverVerbsIT {
  private static final String QUICK_JVM = "-XX:+UseSerialGC " + QuickStart.LINE;
  private static final long ROWS = 20_000;
  private static final int PARTITIONS = 2;

  private static final List<String> HOSTS = List.of("sluice-1", "sluice-2");

  /** An emulator beside other work is slow, and what comes late is no fault here. */
  private static final Map<String, String> PATIENCE =
      Map.of(
          "spark.network.timeout", "10min",
          "spark.worker.timeout", "600", // else the master gives up workers after a minute
          "spark.sluice.io.timeout", "5min",
          "spark.sluice.server.proofTimeout", "5min");

  /** Of Spark's core alone: queries load a compiler besides. */
  @Test
  void aRepartitionGivesStocksResult(@TempDir Path directory, TestReporter reporter) {
    assertGivesStocksResult(Workload.REPARTITION, directory, reporter);
  }

  @Test
  @Tag("campaign")
  void aSortedDataFrameGivesStocksResult(@TempDir Path directory, TestReporter reporter) {
    assumeFalse(
        LabCluster.hasPeer(), "a repartition is enough of two hosts; ./sluice lab spark runs this");
    assertGivesStocksResult(Workload.SQL_SORT, directory, reporter);
  }

  private static void assertGivesStocksResult(
      Workload workload, Path directory, TestReporter reporter) {
    DeviceCounters device = new DeviceCounters();
    List<ContextReport> contexts = run(directory, workload);
    ContextReport stock = contexts.get(0);
    ContextReport ours = contexts.get(1);
    Map<String, Long> readBytes = PlanOracle.bytesByWay(ours);
    reporter.publishEntry("shuffle", readBytes + ", Spark counts " + ours.costs());
    reporter.publishEntry("executors", ours.events().toString());
    long inlinedBytes =
        readBytes.getOrDefault(ReadStats.INLINED, 0L); // over the control connection
    long verbsBytes = PlanOracle.served(ours) - inlinedBytes;
    reporter.publishEntry("verbs", device.since(verbsBytes));
    long hereBytes = LabCluster.hasPeer() ? leastOfAnExecutor(ours) : verbsBytes;
    PlanOracle oracle = new PlanOracle(new ShufflePlanReport(List.of(stock)));
    assertAll(
        () -> assertEquals(SparkJob.STOCK_MANAGER, stock.driverShuffleManager()),
        () -> assertEquals(ROWS, stock.results().get(0).count(), "rows"),
        () -> assertEquals(List.of(), oracle.wrongResults(ours)),
        () -> assertEquals(List.of(), PlanOracle.wrongTraffic(ours, Set.of())),
        () -> assertEquals(verbsBytes, readBytes.get(LabTransport.NAME), readBytes.toString()),
        () -> assertTrue(verbsBytes > 100 * inlinedBytes, readBytes.toString()),
        () -> assertTrue(hereBytes > 0, ours.executorStates().toString()),
        () -> device.assertReceived(hereBytes));
  }

  /** What an executor has read over the device at least, whichever of the two is on this host. */
  private static long leastOfAnExecutor(ContextReport ours) {
    return ours.executorStates().values().stream()
        .map(state -> ShuffleState.of(List.of(state)).bytesByWay())
        .mapToLong(readBytes -> readBytes.getOrDefault(LabTransport.NAME, 0L))
        .min()
        .orElseThrow();
  }

  private static List<ContextReport> run(Path directory, Workload workload) {
    List<ShuffleArguments> shuffles = List.of(new ShuffleArguments(workload, ROWS, PARTITIONS, 7));
    ContextPlan stock =
        new ContextPlan(
            "stock",
            Map.of("spark.master", SparkSubmit.LOCAL, "spark.shuffle.manager", "sort"),
            shuffles);
    ContextPlan sluice =
        new ContextPlan(
            "Sluice",
            Map.of(
                "spark.sluice.transport", LabTransport.NAME,
                "spark.sluice.pool.capacity", "64m",
                "spark.sluice.pool.segmentSize", "16m"),
            shuffles);
    Workspace workspace = Workspace.find();
    SparkJob job =
        SparkJob.plan(workspace, "over verbs", new ShufflePlan(List.of(stock, sluice)))
            .throughSluice(workspace)
            .with(PATIENCE)
            .with("spark.driver.extraJavaOptions", QUICK_JVM)
            .with("spark.executor.extraJavaOptions", QUICK_JVM);
    SparkDistribution spark = SparkDistribution.locate(SparkDistribution.DEFAULT_VERSION);
    if (!LabCluster.hasPeer()) {
      return submit(spark, directory, SparkSubmit.LOCAL_CLUSTER, job);
    }
    Path shared = LabCluster.share().resolve("spark");
    try (SparkStandalone cluster =
        SparkStandalone.start(spark, shared, HOSTS, LabCluster.awaitPeer())) {
      cluster.keepDirectory();
      return submit(spark, directory, cluster.master(), job);
    }
  }

  private static List<ContextReport> submit(
      SparkDistribution spark, Path directory, String master, SparkJob job) {
    // The driver and the executors that it starts listen there, and say so to each other.
    Map<String, String> address = Map.of("SPARK_LOCAL_IP", HOSTS.get(0));
    try (SparkSubmit submit = new SparkSubmit(spark, directory, address)) {
      return submit.run(master, job).report(ShufflePlanReport.class).contexts();
    }
  }
}
