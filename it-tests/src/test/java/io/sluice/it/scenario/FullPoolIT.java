package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.job.JobHistory.TaskAttempt;
import io.sluice.it.job.RunningJob.JobResult;
import io.sluice.it.jobs.ScenarioConf;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A map output for which no tier has room: the job fails, says so, and leaves nothing behind. */
@ExtendWith(SharedCluster.class)
class FullPoolIT {
  private static final int VALUE_BYTES = 64 << 10;
  private static final long NODE_BYTES =
      (long) (SharedCluster.POOL_MEMORY_MB + SharedCluster.POOL_DISK_MB) << 20;

  @Test
  void theJobsDiagnosticsNameTheTiersAndTheSettings(PseudoCluster cluster) {
    JobResult result =
        Scenario.newApi("full")
            .with(ScenarioConf.MAPS, 1)
            .with(ScenarioConf.RECORDS_PER_MAP, 3 * NODE_BYTES / VALUE_BYTES) // half as long each
            .with(ScenarioConf.MAX_VALUE_LENGTH, VALUE_BYTES)
            .with("mapreduce.map.maxattempts", 1)
            .run(cluster, HadoopVariant.SLUICE);
    assertFalse(result.succeeded(), "the job should have failed: " + result.output());
    List<TaskAttempt> attempts = FinishedJob.of(cluster, result).attempts();
    assertAll(
        Stream.of(
                "the spill store is full",
                "memory tier /",
                "disk tier [/",
                "raise sluice.pool.capacity-mb",
                "sluice.pool.overflow-capacity-mb")
            .map(
                text ->
                    () ->
                        assertTrue(
                            attempts.stream()
                                .anyMatch(attempt -> attempt.diagnostics().contains(text)),
                            text + " is missing in " + attempts)));
    Pools.awaitEmpty(cluster);
  }
}
