package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.pod.PodNode;
import io.sluice.it.pod.PodProcess;
import io.sluice.it.spark.PlanOracle.ShuffleState;
import io.sluice.it.spark.jobs.HeldJob;
import io.sluice.it.spark.jobs.LossJob.Loss;
import io.sluice.it.spark.jobs.LossJob.LossReport;
import io.sluice.it.spark.jobs.ShuffleArguments;
import io.sluice.it.spark.jobs.ShufflePlanJob.ContextPlan;
import io.sluice.it.spark.jobs.ShufflePlanJob.ContextReport;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShufflePlan;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShufflePlanReport;
import io.sluice.it.spark.jobs.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Executors that Spark's own backend for Kubernetes starts, in containers with the defaults of
 * both: 1 GiB of heap in 1408 MiB, 64 MiB of {@code /dev/shm}, a user without a name, a root that
 * cannot be written, local directories on an {@code emptyDir}. Nothing is left to Spark.
 */
class SparkPodsIT extends SubmitTestBase {
  private static final long MIB = 1L << 20;

  /** Some 75 MB of map outputs for each executor: more than memory has room for. */
  private static final long ROWS = 1_600_000;

  private static final String IO_PLUGIN = "spark.shuffle.sort.io.plugin.class";
  private static final int POOL_PORT = 7600;
  private static final int BLOCKS_PORT = 7700;
  private static final ShuffleArguments GROUPS =
      new ShuffleArguments(Workload.GROUP_BY_KEY, 20_000, 9, 7);

  private PodNode node;
  private SparkSubmit pods;

  @BeforeEach
  void startNode() {
    Optional<String> unavailable = PodNode.unavailableBecause();
    assumeTrue(unavailable.isEmpty(), () -> unavailable.orElseThrow());
    node =
        PodNode.start(
            workspace.root().resolve("it-tests/target/limits"), spark.home(), spark.javaHome());
    pods = new SparkSubmit(spark, directory.resolve("pods"), node.driverEnvironment());
  }

  @AfterEach
  void closeNode() {
    if (node != null) {
      pods.close();
      node.close();
    }
  }

  @Test
  void theDefaultsOfKubernetesGiveStocksResultsAndMemoryInUse() throws IOException {
    HeldJob.Ready stock;
    try (HeldRun run = start("stock", HeldRun.job(workspace, ROWS, meeting("stock")))) {
      stock = run.ready();
    }
    assertNobodyWasKilled();
    List<PodProcess> stocks = node.pods();
    SparkJob job =
        sluice(HeldRun.job(workspace, ROWS, meeting("sluice")))
            .with("spark.sluice.pool.port", POOL_PORT)
            .with("spark.blockManager.port", BLOCKS_PORT);
    try (HeldRun run = start("sluice", job)) {
      HeldJob.Ready ours = run.ready();
      ShuffleState state = ShuffleState.of(ours.executorStates().values());
      assertAll(
          () -> assertEquals(ROWS, ours.rows()),
          () -> assertEquals(stock.digest(), ours.digest()),
          () -> assertEquals(0, ours.costs().failedTasks()),
          () -> assertTrue(ours.costs().remoteBytesRead() > 0, "blocks moved"),
          () -> assertEquals(ours.costs().remoteBytesRead(), state.servedBytes(), state.toString()),
          () -> assertEquals(Map.of(), state.fallbacks()));
      List<PodProcess> executors = after(stocks);
      assertEquals(2, executors.size());
      for (PodProcess executor : executors) {
        long sharedMib = executor.group().memory().sharedBytes() / MIB;
        assertTrue(sharedMib >= 32, sharedMib + " MiB of memory in use by " + executor);
        assertEquals(
            Set.of(POOL_PORT, POOL_PORT + 1, BLOCKS_PORT),
            executor.listeningPorts(),
            "all that a NetworkPolicy has to open");
      }
    }
    assertNobodyWasKilled();
  }

  /** Into the pools of those that stay. */
  @Test
  @Tag("campaign")
  void outputsOfADecommissionedPodMoveToOthers() {
    LossReport report = decommission(3, Map.of());
    ShuffleState state = ShuffleState.of(report.executorStates().values());
    assertAll(
        () -> assertTrue(state.takenOverBytes() > 0, state.toString()),
        () -> assertEquals(report.remoteBytesRead(), state.servedBytes(), state.toString()));
  }

  /** No other executor is there to take them. */
  @Test
  @Tag("campaign")
  void outputsOfTheOnlyPodMoveIntoTheFallbackStorage() throws IOException {
    Path storage = Files.createDirectories(directory.resolve("storage"));
    String volume = "spark.kubernetes.executor.volumes.hostPath.storage.";
    decommission(
        1,
        Map.of(
            volume + "mount.path",
            storage.toString(),
            volume + "options.path",
            storage.toString(),
            "spark.storage.decommission.fallbackStorage.path",
            storage.toUri().toString(),
            "spark.storage.decommission.fallbackStorage.cleanUp",
            "false"));
    try (var files = Files.walk(storage)) {
      assertTrue(files.anyMatch(file -> file.toString().endsWith(".data")), "nothing was stored");
    }
  }

  private LossReport decommission(int executors, Map<String, String> more) {
    LossReport stock = submit.run(SparkSubmit.LOCAL, loss(Loss.NONE)).report(LossReport.class);
    SparkJob job =
        sluice(loss(Loss.DECOMMISSION))
            .with(node.settings(executors))
            .with(more)
            .with(DECOMMISSION);
    LossReport report = pods.run(node.master(), job).report(LossReport.class);
    ShuffleState state = ShuffleState.of(report.executorStates().values());
    assertAll(
        () -> assertEquals(stock.digest(), report.digest()),
        () -> assertEquals(stock.count(), report.count()),
        () -> assertEquals(GROUPS.partitions(), report.mapTasks(), "no map task ran again"),
        () -> assertEquals(0, report.failedTasks()),
        () -> assertFalse(report.executorStates().containsKey("1"), report.toString()),
        () -> assertEquals(Map.of(), state.fallbacks()));
    assertNobodyWasKilled();
    return report;
  }

  /**
   * Spark's plugin finds files of an executor that is gone on the volume that the next one gets,
   * and Sluice leaves it all to that.
   */
  @Test
  @Tag("campaign")
  void aVolumeIsReusedAsWithStock() throws IOException {
    ShufflePlan plan =
        new ShufflePlan(
            List.of(
                new ContextPlan(
                    "claims",
                    Map.of(),
                    List.of(new ShuffleArguments(Workload.KILLED_BETWEEN_STAGES, 20_000, 9, 7)))));
    SparkJob local = QuickJvms.of(SparkJob.plan(workspace, "claims", plan));
    PlanOracle oracle =
        new PlanOracle(submit.run(SparkSubmit.LOCAL, local).report(ShufflePlanReport.class));
    SparkJob job =
        local
            .with(node.settings(1)) // so that the job waits for the next one
            .with(node.claimSettings("/data/spark-x/executor-x")) // as the plugin expects it
            .with(IO_PLUGIN, "org.apache.spark.shuffle.KubernetesLocalDiskShuffleDataIO");
    pods.run(node.master(), job);
    assertRecovered(node.pods());
    List<PodProcess> stocks = node.pods();
    ContextReport ours =
        pods.run(node.master(), job.throughSluice(workspace))
            .report(ShufflePlanReport.class)
            .contexts()
            .get(0);
    assertEquals(List.of(), oracle.wrongResults(ours));
    assertTrue(ours.driverState().contains(IO_PLUGIN + " is "), ours.driverState());
    assertRecovered(after(stocks));
  }

  private void assertRecovered(List<PodProcess> executors) throws IOException {
    assertEquals(2, executors.size(), "one in place of the one that is gone");
    String log = Files.readString(node.log(executors.get(1).name()));
    assertTrue(log.matches("(?s).*Found [1-9]\\d* data files.*"), log);
  }

  private SparkJob loss(Loss loss) {
    return QuickJvms.of(SparkJob.loss(workspace, loss, GROUPS));
  }

  private SparkJob sluice(SparkJob job) {
    return job.throughSluice(workspace).with("spark.sluice.fallback.policy", "never");
  }

  private HeldRun start(String name, SparkJob job) {
    return HeldRun.start(pods, node.master(), job.with(node.settings(2)), directory.resolve(name));
  }

  private List<PodProcess> after(List<PodProcess> earlier) {
    return node.pods().stream().filter(pod -> !earlier.contains(pod)).toList();
  }

  private Path meeting(String name) throws IOException {
    return Files.createDirectory(directory.resolve(name));
  }

  private void assertNobodyWasKilled() {
    node.pods()
        .forEach(pod -> assertEquals(0, pod.group().use().oomKills(), () -> "kills in " + pod));
  }
}
