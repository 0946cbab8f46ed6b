package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.NodeManager;
import io.sluice.it.cluster.NodeState;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.jobs.KeyType;
import io.sluice.it.jobs.ScenarioConf;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Nodes without Sluice's service, or with one that could not start or is of another release; the
 * jobs do not notice.
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
  void aNodeOfAnotherReleaseServesWithStocksService(PseudoCluster cluster)
      throws IOException, InterruptedException {
    String expected = StockOutput.of(cluster, RECORDS);
    Scenario scenario = RECORDS.named("next-release");
    Workspace workspace = Workspace.find();
    Path plugin = SluiceFragments.load(workspace).orElseThrow().jar();
    Path next =
        NextRelease.jar(workspace.root(), plugin, cluster.localDirectory("next-release-jar"));
    NodeManager upgraded = cluster.nodes().get(1);
    try {
      upgraded.restartWith(
          Map.of("yarn.nodemanager.aux-services.sluice_shuffle.classpath", next.toString()));
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
