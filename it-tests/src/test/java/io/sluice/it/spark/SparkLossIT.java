package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.spark.PlanOracle.ShuffleState;
import io.sluice.it.spark.jobs.LossJob.Loss;
import io.sluice.it.spark.jobs.LossJob.LossReport;
import io.sluice.it.spark.jobs.ShuffleArguments;
import io.sluice.it.spark.jobs.Workload;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Executors of stock Spark that go between map and reduce tasks, and outputs that stay. */
class SparkLossIT extends SubmitTestBase {
  private static final int PARTITIONS = 9;
  private static final ShuffleArguments ROWS =
      new ShuffleArguments(Workload.GROUP_BY_KEY, 20_000, PARTITIONS, 7);

  /** The same for all tests. */
  private static LossReport stock;

  private SparkJob job(Loss loss) {
    return QuickJvms.of(SparkJob.loss(workspace, loss, ROWS));
  }

  private LossReport stock() {
    if (stock == null) {
      stock = submit.run(SparkSubmit.LOCAL, job(Loss.NONE)).report(LossReport.class);
    }
    return stock;
  }

  /** Those that stay read from one another what came from the one that goes. */
  @Test
  void outputsOfADecommissionedExecutorMoveIntoThePoolsOfOthers() {
    SparkJob job =
        job(Loss.DECOMMISSION)
            .throughSluice(workspace)
            .with("spark.cores.max", 3)
            .with(DECOMMISSION);
    LossReport report = submit.run("local-cluster[3,1,1024]", job).report(LossReport.class);
    ShuffleState state = ShuffleState.of(report.executorStates().values());
    assertResult(stock(), report);
    assertAll(
        () -> assertFalse(report.executorStates().containsKey("0"), report.toString()),
        () -> assertTrue(state.takenOverBytes() > 0, state.toString()),
        () -> assertTrue(report.remoteBytesRead() > 0, report.toString()),
        () ->
            assertEquals(report.remoteBytesRead(), state.bytesByWay().get("tcp"), state.toString()),
        () -> assertEquals(Map.of(), state.fallbacks()));
  }

  /** Spark starts another one in its stead, and that has nothing of its outputs. */
  @Test
  void outputsInTheNodesServiceSurviveAnExecutorThatIsKilled() {
    assertSurvives(job(Loss.KILL), false);
  }

  /** The external shuffle service is asked for none of them. */
  @Test
  @Tag("campaign")
  void theySurviveWithTheExternalShuffleServiceOnToo() {
    assertSurvives(job(Loss.KILL), true);
  }

  /** And on a node without Sluice's service it serves files, as without Sluice. */
  @Test
  @Tag("campaign")
  void theExternalShuffleServiceServesWhatNoServiceOfSluiceHas() {
    try (SparkStandalone cluster = SparkStandalone.start(spark, directory, true)) {
      LossReport report =
          submit
              .run(
                  cluster.master(),
                  job(Loss.KILL)
                      .throughSluice(workspace)
                      .with(cluster.shuffleServiceSettings())
                      .with("spark.sluice.service", directory.resolve("none")))
              .report(LossReport.class);
      ShuffleState state = ShuffleState.of(report.executorStates().values());
      assertResult(stock(), report);
      assertAll(
          () -> assertFalse(report.executorStates().containsKey("0"), report.toString()),
          () -> assertTrue(report.remoteBytesRead() > 0, report.toString()),
          () -> assertEquals(Set.of("spark"), state.bytesByWay().keySet(), state.toString()),
          () ->
              assertTrue(
                  state.fallbacks().containsKey("the peer has no Sluice pool"), state.toString()));
    }
  }

  /** All executors that have written are gone when the outputs are read. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("campaign")
  void executorsWhoseOutputsAreInTheNodesServiceAreReleasedWhenIdle(boolean shuffleService) {
    assertSurvives(
        job(Loss.IDLE)
            .with(
                Map.of(
                    "spark.dynamicAllocation.enabled",
                    "true",
                    "spark.dynamicAllocation.shuffleTracking.enabled",
                    "false",
                    "spark.dynamicAllocation.initialExecutors",
                    "2",
                    "spark.dynamicAllocation.minExecutors",
                    "0",
                    "spark.dynamicAllocation.executorIdleTimeout",
                    "2s")),
        shuffleService);
  }

  private void assertSurvives(SparkJob job, boolean shuffleService) {
    try (SparkNodeService service = SparkNodeService.start(workspace, directory);
        SparkStandalone cluster = SparkStandalone.start(spark, directory, shuffleService)) {
      LossReport report =
          submit
              .run(
                  cluster.master(),
                  job.throughSluice(workspace)
                      .with(cluster.shuffleServiceSettings())
                      .with("spark.sluice.service", service.directory()))
              .report(LossReport.class);
      cluster.requireAlive();
      ShuffleState state = ShuffleState.of(report.executorStates().values());
      assertResult(stock(), report);
      assertAll(
          () -> assertFalse(report.executorStates().containsKey("0"), report.toString()),
          () -> assertTrue(report.remoteBytesRead() > 0, report.toString()),
          () ->
              assertEquals(
                  report.remoteBytesRead(), state.bytesByWay().get("tcp"), state.toString()),
          () -> assertEquals(Map.of(), state.fallbacks()),
          () -> assertEquals(List.of(), service.applications(), "freed with the application"));
    }
  }

  private static void assertResult(LossReport stock, LossReport report) {
    assertAll(
        () -> assertEquals(stock.digest(), report.digest()),
        () -> assertEquals(stock.count(), report.count()),
        () -> assertEquals(PARTITIONS, report.mapTasks(), "no map task ran again"),
        () -> assertEquals(0, report.failedTasks()));
  }
}
