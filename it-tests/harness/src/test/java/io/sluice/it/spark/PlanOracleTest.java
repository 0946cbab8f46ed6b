package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.spark.jobs.ShuffleCosts;
import io.sluice.it.spark.jobs.ShufflePlanJob.ContextEvents;
import io.sluice.it.spark.jobs.ShufflePlanJob.ContextReport;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShufflePlanReport;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShuffleResult;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PlanOracleTest {
  private static final String IDLE =
      "Sluice read {} bytes, took over 0 bytes, and left to Spark: {}";
  private static final String READ =
      "Sluice read {local=9, spark=7, tcp=40, ucx=2} bytes, took over 3 bytes,"
          + " and left to Spark: {}";
  private static final String FELL_BACK =
      "Sluice read {} bytes, took over 0 bytes, and left to Spark: {a peer's pool=3, too many=1}";

  @Test
  void whatStockGivesIsRight() {
    assertEquals(List.of(), wrongResults(report("cafe", SparkJob.SLUICE_MANAGER, READ, 42, 0)));
  }

  @Test
  void anotherDigestIsWrong() {
    List<String> wrong = wrongResults(report("beef", SparkJob.SLUICE_MANAGER, READ, 42, 0));
    assertEquals(List.of("c: digest of a shuffle: expected cafe, got beef"), wrong);
  }

  @Test
  void aRightResultOfAnotherManagerIsWrong() {
    List<String> wrong = wrongResults(report("cafe", "stock", READ, 42, 0));
    assertEquals(2, wrong.size(), wrong.toString());
  }

  @Test
  void everyRemoteByteMustBeServedByAPool() {
    assertEquals(List.of(), wrongTraffic(SparkJob.SLUICE_MANAGER, READ, 42, 0));
    assertTrue(
        wrongTraffic(SparkJob.SLUICE_MANAGER, READ, 43, 0)
            .contains("c: remote bytes that pools served: expected 43, got 42"));
    assertTrue(
        wrongTraffic(SparkJob.SLUICE_MANAGER, IDLE, 0, 0)
            .contains("c: blocks moved: expected true, got false"));
  }

  @Test
  void waysOfReadingAreThoseOfAllExecutors() {
    ContextReport ours = report("cafe", "any", READ, 42, 0);
    ours.executorStates().put("1", READ);
    assertEquals(
        Map.of("local", 18L, "spark", 14L, "tcp", 80L, "ucx", 4L), PlanOracle.bytesByWay(ours));
  }

  @Test
  void whatWasLeftToSparkAndWhatFailedIsTold() {
    assertEquals(
        Set.of("a peer's pool", "too many"),
        PlanOracle.fallbacks(report("cafe", "any", FELL_BACK, 0, 0)));
    assertTrue(
        wrongTraffic(SparkJob.SLUICE_MANAGER, READ, 42, 1)
            .contains("c: failed tasks: expected 0, got 1"));
    assertTrue(
        wrongTraffic("stock", "a stock manager", 42, 0).stream()
            .anyMatch(wrong -> wrong.contains("no state of Sluice: a stock manager")));
  }

  private static List<String> wrongResults(ContextReport ours) {
    ContextReport stock = report("cafe", "stock", "a stock manager", 0, 0);
    return new PlanOracle(new ShufflePlanReport(List.of(stock))).wrongResults(ours);
  }

  private static List<String> wrongTraffic(
      String manager, String state, long remoteBytes, long failedTasks) {
    return PlanOracle.wrongTraffic(
        report("cafe", manager, state, remoteBytes, failedTasks), Set.of());
  }

  /** Of two executors, the first of which is in this state. */
  private static ContextReport report(
      String digest, String manager, String state, long remoteBytes, long failedTasks) {
    return new ContextReport(
        "c",
        List.of(new ShuffleResult("a shuffle", 1, digest, false, new TreeSet<>(), 0)),
        manager,
        IDLE,
        new TreeMap<>(Map.of("0", manager, "1", manager)),
        new TreeMap<>(Map.of("0", state, "1", IDLE)),
        new ShuffleCosts(9, failedTasks, 0, 0, 0, 0, 0, remoteBytes, 0, 0),
        new ContextEvents(0, 0));
  }
}
