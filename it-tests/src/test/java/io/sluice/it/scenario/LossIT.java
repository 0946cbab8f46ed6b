package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.NodeManager;
import io.sluice.it.cluster.NodeManager.NodeState;
import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.TaskProcess;
import io.sluice.it.job.JobHistory.TaskAttempt;
import io.sluice.it.jobs.ScenarioConf;
import io.sluice.spill.segment.PrivateDirectory;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Processes, nodes and bytes that are lost in the middle of a job: the output is stock's all the
 * same, and nothing is left in the pools.
 */
@ExtendWith(SharedCluster.class)
class LossIT {
  /** Each map's output is far larger than what a reduce reads ahead of it. */
  private static final Scenario RECORDS =
      Scenario.newApi("loss")
          .with(ScenarioConf.MAPS, 4)
          .with(ScenarioConf.RECORDS_PER_MAP, 3_000)
          .with(ScenarioConf.MAX_VALUE_LENGTH, 2_048)
          .with(ScenarioConf.REDUCE_GATE_KEYS, 100)
          .with("sluice.reduce.buffer-mb", 1);

  /** The reduce begins when every map has succeeded. */
  private static final Map<String, String> NO_SLOW_START =
      Map.of("mapreduce.job.reduce.slowstart.completedmaps", "1.0");

  /** The reduce begins with the first maps, and is not sacrificed for one that is run again. */
  private static final Map<String, String> EARLY_REDUCE =
      Map.of(
          "mapreduce.job.reduce.slowstart.completedmaps", "0.05",
          "mapreduce.job.reducer.preempt.delay.sec", "300");

  /**
   * Reduces fail by stock's rule while two of four maps are missing, and start again so soon that
   * four of them may have failed before the ApplicationMaster believes them.
   */
  private static final Map<String, String> MANY_ATTEMPTS =
      Map.of("mapreduce.reduce.maxattempts", "20");

  /**
   * Failed fetches are tried again, and believed by the ApplicationMaster, without delay; nor does
   * it try for minutes to reach the lost node about containers that it has not seen end.
   */
  private static final Map<String, String> IMPATIENT =
      Map.of(
          "mapreduce.reduce.shuffle.connect.timeout", "1000",
          "sluice.restart.timeout-ms", "1000",
          "mapreduce.reduce.shuffle.retry-delay.max.ms", "500",
          "mapreduce.reduce.shuffle.max-fetch-failures-notifications", "1",
          "yarn.client.nodemanager-connect.max-wait-ms", "1000",
          "yarn.client.nodemanager-connect.retry-interval-ms", "500");

  @AfterEach
  void nothingIsLeftInThePools(PseudoCluster cluster) {
    cluster.awaitActiveNodes(2);
    Pools.awaitEmpty(cluster);
  }

  @Test
  void aReduceKilledInItsMiddleIsRunAgain(PseudoCluster cluster)
      throws IOException, InterruptedException {
    String expected = StockOutput.of(cluster, RECORDS);
    Scenario scenario = RECORDS.named("killed-reduce");
    try (GatedRun run = GatedRun.start(cluster, scenario)) {
      run.openMapGate();
      TaskProcess reduce = run.awaitReducesAtGate(1).get(0);
      assertFalse(
          Pools.states(cluster).stream().anyMatch(NodeState::isEmpty),
          "each node's pool holds map outputs");
      reduce.killHard(); // at its gate, in its middle
      run.openReduceGate();
      run.await().readBothWays().lost(reduce.attemptId());
    }
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }

  @Test
  void mapsOfALostNodeAreRunElsewhere(PseudoCluster cluster) {
    String expected = StockOutput.of(cluster, RECORDS);
    Scenario scenario = RECORDS.named("lost-node").with(NO_SLOW_START).with(IMPATIENT);
    NodeManager node = cluster.nodes().get(1);
    try (GatedRun run = GatedRun.start(cluster, scenario)) {
      List<TaskProcess> lost = run.mapsOn(1);
      run.finish(lost);
      node.killHard();
      run.openMapGate();
      run.openReduceGate();
      FinishedJob finished = run.await().hasNoFallback().has("READ_BYTES_LOCAL");
      assertFalse(lost.isEmpty(), "maps of the lost node");
      lost.forEach(map -> finished.lost(map.attemptId()));
    } finally {
      node.restartWith(Map.of()); // also if the test has failed before it was killed
    }
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }

  @Test
  void aDamagedMapOutputIsNoticedAndMadeAgain(PseudoCluster cluster) {
    String expected = StockOutput.of(cluster, RECORDS);
    Scenario scenario = RECORDS.named("damaged").with(NO_SLOW_START);
    try (GatedRun run = GatedRun.start(cluster, scenario)) {
      TaskProcess damaged = run.maps().get(0);
      run.finish(List.of(damaged));
      assertTrue(
          PoolDamage.flipABitOfEveryKey(cluster.nodes().get(damaged.node())) > 0,
          "keys in the pool of node " + damaged.node());
      run.openMapGate();
      run.openReduceGate();
      run.await()
          .lost(damaged.attemptId())
          .logged(attempt -> !attempt.map() && !attempt.succeeded(), "CRC32C")
          .hasNoFallback();
    }
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }

  /** While maps stand at their gates, and once more in the middle of the reduce. */
  @Test
  void aRollingRestartLosesNothing(PseudoCluster cluster) {
    String expected = StockOutput.of(cluster, RECORDS);
    Scenario scenario = RECORDS.named("rolling-restart").with(NO_SLOW_START);
    try (GatedRun run = GatedRun.start(cluster, scenario)) {
      run.finish(run.mapsOn(1));
      for (NodeManager node : cluster.nodes()) {
        node.stop();
        node.start();
      }
      run.openMapGate();
      run.awaitReducesAtGate(1);
      for (NodeManager node : cluster.nodes()) {
        node.killHard();
        node.start();
      }
      run.openReduceGate();
      run.await().readBothWays().allSucceededAtOnce();
    }
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }

  /**
   * It is down while the reduce asks it for the output of one of its maps, and has that of the
   * other when it is back. The reduce runs on the other node, the only one that runs containers
   * when it starts.
   */
  @Test
  void aNodeManagerRestartsWhileAReduceGathersFromIt(PseudoCluster cluster) {
    String expected = StockOutput.of(cluster, RECORDS);
    Scenario scenario =
        RECORDS
            .named("restart-in-gather")
            .with("mapreduce.job.reduce.slowstart.completedmaps", "0.75")
            // One report would have the map run again.
            .with("mapreduce.reduce.shuffle.max-fetch-failures-notifications", 1);
    NodeManager node = cluster.nodes().get(1);
    try (GatedRun run = GatedRun.start(cluster, scenario)) {
      run.finish(run.mapsOn(1).subList(0, 1));
      node.killHard();
      run.finish(run.mapsOn(0));
      run.awaitFirstCopy();
      run.awaitLogged("No Sluice service answers at ");
      node.start();
      run.openMapGate();
      run.openReduceGate();
      run.await().readBothWays().allSucceededAtOnce();
    }
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }

  /** As by a reboot, but for the maps' processes, which have ended. */
  @Test
  @Tag("campaign")
  void copiesOnDiskOutliveTheMemoryOfANode(PseudoCluster cluster)
      throws IOException, InterruptedException {
    String expected = StockOutput.of(cluster, RECORDS);
    Scenario scenario = RECORDS.named("lost-memory").with(NO_SLOW_START);
    NodeManager node = cluster.nodes().get(1);
    Map<String, String> copying = Map.of("sluice.disk.background-copy", "true");
    node.restartWith(copying);
    try (GatedRun run = GatedRun.start(cluster, scenario)) {
      List<TaskProcess> maps = run.mapsOn(1);
      assertFalse(maps.isEmpty(), "maps of the node");
      run.finish(maps);
      Poll.untilTrue(
          "copies of " + maps.size() + " outputs",
          Duration.ofMinutes(1),
          () -> node.poolState().copiedOutputs() == maps.size());
      node.killHard();
      PrivateDirectory.delete(node.place().pool());
      node.start();
      NodeState after = node.poolState();
      assertEquals(maps.size(), after.outputs());
      assertEquals(0, after.memoryUsedBytes());
      run.openMapGate();
      run.openReduceGate();
      run.await().has("READ_BYTES_TCP").hasNoFallback().allSucceededAtOnce();
    } finally {
      node.restartWith(Map.of());
    }
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }

  @Test
  @Tag("campaign")
  void aMapThatIsKilledAfterItsSuccessIsReplaced(PseudoCluster cluster) {
    String expected = StockOutput.of(cluster, RECORDS);
    Scenario scenario = RECORDS.named("obsolete").with(EARLY_REDUCE);
    try (GatedRun run = GatedRun.start(cluster, scenario)) {
      TaskProcess early = run.maps().get(0);
      run.finish(List.of(early));
      run.awaitFirstCopy();
      run.killSucceeded(early);
      run.openMapGate();
      run.openReduceGate();
      run.await().readBothWays().lost(early.attemptId()).reducesLogged(early.attemptId());
    }
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }

  /** Ended by stock's rule, because the machine was slow with the maps that are run again. */
  private static boolean mapsCameTooLate(TaskAttempt reduce) {
    return reduce.diagnostics().contains("MAX_FAILED_UNIQUE_FETCHES");
  }

  /**
   * A NodeManager without recovery comes back while a reduce reads: none of its outputs is left.
   * The reduce runs on the other node, in the only slot that is free when it starts: one of the
   * same node would keep the outputs that it has mapped, and may end before anybody misses it.
   */
  @Test
  @Tag("campaign")
  void mapsOfANodeThatComesBackWithNothingAreRunAgain(PseudoCluster cluster) {
    String expected = StockOutput.of(cluster, RECORDS);
    Scenario scenario = RECORDS.named("emptied-node").with(EARLY_REDUCE).with(MANY_ATTEMPTS);
    NodeManager emptied = null;
    try (GatedRun run = GatedRun.start(cluster, scenario)) {
      int nodeOfMaster = cluster.nodeOfMaster();
      emptied = cluster.nodes().get(1 - nodeOfMaster);
      List<TaskProcess> lost = run.mapsOn(emptied.place().index());
      run.finish(run.mapsOn(nodeOfMaster));
      run.awaitFirstCopy();
      run.openMapGate();
      assertEquals(nodeOfMaster, run.awaitReducesAtGate(1).get(0).node(), "the reduce's node");
      emptied.restartWith(Map.of("yarn.nodemanager.recovery.enabled", "false"));
      run.openReduceGate();
      FinishedJob finished = run.await();
      assertFalse(lost.isEmpty(), "maps of the node that was emptied");
      lost.forEach(map -> finished.lost(map.attemptId()));
      List<TaskAttempt> failed =
          finished.attempts().stream()
              .filter(attempt -> !attempt.map() && attempt.state().equals("FAILED"))
              .filter(attempt -> !mapsCameTooLate(attempt))
              .toList();
      assertTrue(failed.size() <= 1, "one may lose what it is reading: " + failed);
    } finally {
      if (emptied != null) {
        emptied.restartWith(Map.of());
      }
    }
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }
}
