package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.TaskProcess;
import io.sluice.it.job.JobHistory;
import io.sluice.it.job.JobHistory.TaskAttempt;
import io.sluice.it.job.RunningJob;
import io.sluice.it.job.RunningJob.JobResult;
import io.sluice.it.jobs.Gate;
import io.sluice.it.jobs.ScenarioConf;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.opentest4j.AssertionFailedError;

/** The harness itself: scenario jobs, the oracle, killing attempts and NodeManagers; all stock. */
@ExtendWith(SharedCluster.class)
@Tag("campaign")
class ScenarioJobsIT {

  @Test
  void bothApisAddUpTheSameRecordsAndTheOracleTellsOthersApart(PseudoCluster cluster) {
    Scenario newApi = Scenario.newApi("sum-new").with(ScenarioConf.COMBINE, true);
    Scenario oldApi = Scenario.oldApi("sum-old");
    Scenario otherRecords = Scenario.oldApi("sum-other").with(ScenarioConf.SEED, 2);
    for (Scenario scenario : List.of(newApi, oldApi, otherRecords)) {
      scenario.run(cluster, HadoopVariant.STOCK).requireSuccess();
    }
    String expected = newApi.output(HadoopVariant.STOCK);
    Oracle.assertSameOutput(cluster, expected, oldApi.output(HadoopVariant.STOCK));
    assertThrows(
        AssertionFailedError.class,
        () -> Oracle.assertSameOutput(cluster, expected, otherRecords.output(HadoopVariant.STOCK)));
  }

  @Test
  void aKilledMapAttemptIsRunAgain(PseudoCluster cluster) {
    Path gate = cluster.localDirectory("gate-kill");
    Scenario scenario = Scenario.newApi("kill-map").with(ScenarioConf.MAP_GATE, gate);
    try (RunningJob job = scenario.start(cluster, HadoopVariant.STOCK)) {
      String victim = Scenario.awaitReached(job, gate, 2).get(0);
      cluster.taskProcesses().stream()
          .filter(task -> task.attemptId().equals(victim))
          .findFirst()
          .orElseThrow()
          .killHard();
      Gate.open(gate);
      JobResult result = job.await().requireSuccess();
      List<TaskAttempt> attempts = JobHistory.of(cluster).attempts(result.jobId());
      assertTrue(
          attempts.stream()
              .anyMatch(attempt -> attempt.id().equals(victim) && !attempt.succeeded()),
          victim + " should have failed: " + attempts);
    }
  }

  @Test
  void tasksOutliveAKilledNodeManagerThatComesBack(PseudoCluster cluster) {
    Path gate = cluster.localDirectory("gate-node");
    Scenario scenario = Scenario.newApi("kill-node").with(ScenarioConf.MAP_GATE, gate);
    try (RunningJob job = scenario.start(cluster, HadoopVariant.STOCK)) {
      List<String> reached = Scenario.awaitReached(job, gate, 2);
      cluster.nodes().get(0).killHard();
      cluster.nodes().get(0).start();
      assertEquals(
          reached,
          cluster.taskProcesses().stream()
              .filter(TaskProcess::isMap)
              .map(TaskProcess::attemptId)
              .sorted()
              .toList());
      Gate.open(gate);
      job.await().requireSuccess();
    }
  }
}
