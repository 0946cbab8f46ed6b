package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.NodeManager;
import io.sluice.it.cluster.NodeManager.NodeState;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.jobs.ScenarioConf;
import io.sluice.it.jobs.ScenarioConf.KeyType;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Nodes without Sluice's service, or with one that could not start, is of another release, or
 * cannot be reached; the jobs do not notice, or run no more maps again than they must.
 */
@ExtendWith(SharedCluster.class)
class MissingServiceIT {
  private static final int REDUCES = 4;

  /** As many reduces as slots, so that some run on each node. */
  private static final Scenario RECORDS =
      Scenario.newApi("missing")
          .with(ScenarioConf.MAPS, 4)
          .with(ScenarioConf.KEY_TYPE, KeyType.INT)
          .with(ScenarioConf.RECORDS_PER_MAP, 3_000)
          .with("mapreduce.job.reduces", REDUCES);

  /**
   * The ApplicationMaster's node has no room for the reduce, and beside the reduce the other node
   * has none for a map. So the reduce asks from the other node for what maps have put out on the
   * master's, and maps that run again meanwhile do so there. One report has a map run again.
   */
  private static final Scenario FAR_REDUCE =
      Scenario.newApi("far-reduce")
          .with(ScenarioConf.MAPS, 4)
          .with(ScenarioConf.KEY_TYPE, KeyType.INT)
          .with(ScenarioConf.RECORDS_PER_MAP, 3_000)
          .with("mapreduce.reduce.memory.mb", 2_816)
          .with("mapreduce.job.reduce.slowstart.completedmaps", "1.0")
          .with("mapreduce.job.reducer.preempt.delay.sec", 300)
          .with("mapreduce.reduce.shuffle.connect.timeout", 1_000)
          .with("mapreduce.reduce.shuffle.retry-delay.max.ms", 500)
          .with("mapreduce.reduce.shuffle.max-fetch-failures-notifications", 1)
          .with("sluice.restart.timeout-ms", 1_000);

  @AfterEach
  void allNodesServeAgainAndHoldNothing(PseudoCluster cluster) {
    cluster.awaitActiveNodes(2);
    Pools.awaitEmpty(cluster);
  }

  /** One node's first port is another program's; the other has no service, behind a firewall. */
  @Test
  void nodesWithAndWithoutTheServiceMixInOneJob(PseudoCluster cluster) throws IOException {
    String expected = StockOutput.of(cluster, RECORDS);
    Scenario scenario = RECORDS.named("mixed").with("sluice.io.timeout-ms", 2_000);
    NodeManager portTaken = cluster.nodes().get(0);
    NodeManager without = cluster.nodes().get(1);
    portTaken.killHard();
    without.killHard();
    try (ServerSocket taken = new ServerSocket(controlPort(portTaken));
        SilentPort silent = new SilentPort(controlPort(without))) {
      portTaken.start();
      without.restartWith(Map.of("yarn.nodemanager.aux-services", "mapreduce_shuffle"));
      cluster.awaitActiveNodes(2);
      FinishedJob finished = run(cluster, scenario);
      finished
          // Reduces on the first node map its outputs in place and stage the others' in its pool.
          .has("READ_BYTES_LOCAL", "STAGED_BYTES_MEMORY")
          // Reduces on the second one have neither.
          .has("READ_BYTES_TCP", "STAGED_BYTES_DISK")
          .has("READ_BYTES_HTTP")
          .hasNo("FALLBACK_REDUCE_TO_STOCK");
      assertEquals(2, finished.counters().sluice("FALLBACK_MAP_TO_STOCK"));
      assertEquals(2 * REDUCES, finished.counters().sluice("FALLBACK_FETCH_TO_HTTP"));
      assertTrue(taken.isBound() && silent.isBound(), "the ports were not to be had");
    } finally {
      portTaken.restartWith(Map.of());
      without.restartWith(Map.of());
    }
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }

  /** As in a rolling upgrade: tasks are of the release that their job began with. */
  @Test
  @Tag("campaign")
  void aNodeOfAnotherReleaseServesWithStocksService(PseudoCluster cluster)
      throws IOException, InterruptedException {
    String expected = StockOutput.of(cluster, RECORDS);
    Scenario scenario = RECORDS.named("next-release");
    NodeManager upgraded = cluster.nodes().get(1);
    try {
      upgraded.restartWith(withService(cluster, NextRelease.NOTHING_IN_COMMON));
      cluster.awaitActiveNodes(2);
      assertTrue(upgraded.poolState().running(), "the service of the next release runs");
      FinishedJob finished = run(cluster, scenario);
      finished
          .has("READ_BYTES_LOCAL", "READ_BYTES_TCP", "READ_BYTES_HTTP")
          .hasNo("FALLBACK_REDUCE_TO_STOCK");
      assertEquals(2, finished.counters().sluice("FALLBACK_MAP_TO_STOCK"));
      assertEquals(2 * REDUCES, finished.counters().sluice("FALLBACK_FETCH_TO_HTTP"));
    } finally {
      upgraded.restartWith(Map.of());
    }
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }

  /** Of the node's two maps, one has committed to each release; both speak a common version. */
  @Test
  void aNodeIsUpgradedUnderARunningJob(PseudoCluster cluster)
      throws IOException, InterruptedException {
    Scenario scenario =
        FAR_REDUCE.named("upgrade").with("sluice.restart.timeout-ms", 180_000); // the default
    changing(
        cluster,
        scenario,
        (run, upgraded) -> {
          run.finish(run.mapsOn(upgraded.place().index()).subList(0, 1));
          upgrade(cluster, upgraded, NextRelease.IN_COMMON, 1);
          goOn(run).readBothWays().allSucceededAtOnce();
        });
  }

  /** No common version: what Sluice has taken there is out of reach, and stock takes it next. */
  @Test
  void aNodeIsUpgradedToAForeignReleaseUnderARunningJob(PseudoCluster cluster)
      throws IOException, InterruptedException {
    changing(
        cluster,
        FAR_REDUCE.named("foreign-upgrade"),
        (run, upgraded) -> {
          int node = upgraded.place().index();
          run.finish(run.mapsOn(node));
          upgrade(cluster, upgraded, NextRelease.NOTHING_IN_COMMON, 2);
          FinishedJob finished = goOn(run);
          takenByStock(finished.attempted(2, run.mapsOn(node)).attempted(1, run.mapsOn(1 - node)));
        });
  }

  private static void upgrade(
      PseudoCluster cluster, NodeManager upgraded, NextRelease release, int outputs)
      throws IOException, InterruptedException {
    upgraded.restartWith(withService(cluster, release));
    assertEquals(
        outputs, upgraded.poolState().outputs(), "outputs that the next release has taken on");
  }

  /**
   * The control port is dropped once outputs lie behind it. The reduce can ask neither for these
   * nor for those of their maps' second attempts.
   */
  @Test
  void mapsBehindAFirewallRunAgainUntilStockTakesTheirOutputs(PseudoCluster cluster)
      throws IOException, InterruptedException {
    changing(
        cluster,
        FAR_REDUCE.named("firewall").with("sluice.io.timeout-ms", 2_000),
        (run, hidden) -> {
          int node = hidden.place().index();
          run.finish(run.mapsOn(node));
          hidden.killHard();
          try (SilentPort silent = new SilentPort(controlPort(hidden))) {
            startBehindAFirewall(hidden);
            FinishedJob finished = goOn(run);
            takenByStock(
                finished.attempted(3, run.mapsOn(node)).attempted(1, run.mapsOn(1 - node)));
            assertTrue(failedReduces(finished) <= 1, "attempts: " + finished.attempts());
            assertTrue(silent.isBound(), "the port was not to be had");
          }
        });
  }

  /**
   * The data ports alone are dropped. The reduce's first attempt finds that out in its merge, the
   * second one before it counts an output as fetched.
   */
  @Test
  @Tag("campaign") // SilentDataPortsTest shows the same of one reader
  void aReduceLosesOneAttemptToDataPortsBehindAFirewall(PseudoCluster cluster)
      throws IOException, InterruptedException {
    changing(
        cluster,
        FAR_REDUCE.named("data-firewall").with("sluice.io.timeout-ms", 2_000),
        (run, hidden) -> {
          int node = hidden.place().index();
          run.finish(run.mapsOn(node));
          hidden.killHard();
          try (SilentDataPorts silent = new SilentDataPorts(controlPort(hidden))) {
            startBehindAFirewall(hidden);
            FinishedJob finished = goOn(run);
            finished
                .logged(
                    attempt -> !attempt.map() && attempt.succeeded(), "No data can be read from ")
                .attempted(1, run.mapsOn(1 - node))
                .has("READ_BYTES_LOCAL", "READ_BYTES_HTTP")
                .hasNo("READ_BYTES_TCP", "FALLBACK_REDUCE_TO_STOCK");
            assertEquals(1, failedReduces(finished), "attempts: " + finished.attempts());
            assertTrue(silent.answers() > 1, "readers were told where the data ports are");
          }
        });
  }

  private static void startBehindAFirewall(NodeManager hidden)
      throws IOException, InterruptedException {
    hidden.start();
    assertEquals(2, hidden.poolState().outputs(), "outputs behind the firewall");
  }

  /** What happens to a node while a job runs. */
  private interface Change {
    void under(GatedRun run, NodeManager changed) throws IOException, InterruptedException;
  }

  /** The node is the ApplicationMaster's, where the reduce does not run. */
  private static void changing(PseudoCluster cluster, Scenario scenario, Change change)
      throws IOException, InterruptedException {
    String expected = StockOutput.of(cluster, FAR_REDUCE);
    NodeManager changed = null;
    try (GatedRun run = GatedRun.start(cluster, scenario)) {
      changed = cluster.nodes().get(cluster.nodeOfMaster());
      change.under(run, changed);
    } finally {
      if (changed != null) {
        changed.restartWith(Map.of());
      }
    }
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }

  private static FinishedJob goOn(GatedRun run) {
    run.openMapGate();
    run.openReduceGate();
    return run.await();
  }

  @Test
  @Tag("campaign")
  void servicesThatCannotStartSayWhyInEachMapsLog(PseudoCluster cluster)
      throws IOException, InterruptedException {
    String expected = StockOutput.of(cluster, RECORDS);
    // Whoever has the ports takes connections and never answers.
    Scenario scenario = RECORDS.named("degraded").with("sluice.io.timeout-ms", 1_000);
    NodeManager portTaken = cluster.nodes().get(0);
    NodeManager noDirectory = cluster.nodes().get(1);
    portTaken.killHard();
    int control = controlPort(portTaken);
    try (ServerSocket taken = new ServerSocket(control);
        ServerSocket second = new ServerSocket(control + 1_000);
        ServerSocket third = new ServerSocket(control + 2_000)) {
      portTaken.start();
      noDirectory.restartWith(Map.of("sluice.pool.dir", noDirectory.daemon().logFile() + "/pool"));
      cluster.awaitActiveNodes(2);
      for (NodeState state : Pools.states(cluster)) {
        assertFalse(
            state.running(),
            "a service runs, with its ports taken by %s, %s, %s".formatted(taken, second, third));
      }
      FinishedJob finished = run(cluster, scenario);
      finished
          .has("READ_BYTES_HTTP")
          .hasNo("READ_BYTES_LOCAL", "READ_BYTES_TCP", "SPILL_BYTES_MEMORY")
          .mapsLogged("this node's Sluice service could not start: ");
      assertEquals(4, finished.counters().sluice("FALLBACK_MAP_TO_STOCK"));
    } finally {
      portTaken.restartWith(Map.of());
      noDirectory.restartWith(Map.of());
    }
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }

  /** The reduce read two outputs in place, and has fetched the other two from stock. */
  private static void takenByStock(FinishedJob finished) {
    finished
        .has("READ_BYTES_LOCAL", "READ_BYTES_HTTP")
        .hasNo("READ_BYTES_TCP", "FALLBACK_REDUCE_TO_STOCK");
    assertEquals(2, finished.counters().sluice("FALLBACK_MAP_TO_STOCK"));
    assertEquals(2, finished.counters().sluice("FALLBACK_FETCH_TO_HTTP"));
  }

  private static long failedReduces(FinishedJob finished) {
    return finished.attempts().stream()
        .filter(attempt -> !attempt.map() && !attempt.succeeded())
        .count();
  }

  private static Map<String, String> withService(PseudoCluster cluster, NextRelease release)
      throws IOException {
    Workspace workspace = Workspace.find();
    Path plugin = SluiceFragments.load(workspace).orElseThrow().jar();
    Path directory = cluster.localDirectory(release.name());
    Path next = release.jar(workspace.root(), plugin, directory);
    return Map.of("yarn.nodemanager.aux-services.sluice_shuffle.classpath", next.toString());
  }

  private static int controlPort(NodeManager node) {
    return node.place().shufflePort() + 1;
  }

  private static FinishedJob run(PseudoCluster cluster, Scenario scenario) {
    try (GatedRun run = GatedRun.start(cluster, scenario)) {
      run.openMapGate();
      run.awaitReducesAtGate(REDUCES);
      run.openReduceGate();
      return run.await().allSucceededAtOnce();
    }
  }
}
