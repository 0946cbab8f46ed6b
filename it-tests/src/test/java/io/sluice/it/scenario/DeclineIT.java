package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.job.RunningJob.JobResult;
import io.sluice.it.jobs.ScenarioConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Jobs that Sluice leaves to stock as a whole, with its settings in place. */
@ExtendWith(SharedCluster.class)
class DeclineIT {
  private static final Scenario RECORDS =
      Scenario.newApi("decline").with(ScenarioConf.RECORDS_PER_MAP, 2_000);

  private static final String[] THROUGH_SLUICE = {
    "SPILL_BYTES_MEMORY", "SPILL_BYTES_DISK", "READ_BYTES_LOCAL", "READ_BYTES_TCP"
  };

  /** And its client prints which of its settings is none. */
  @Test
  void anUberJobStaysInItsApplicationMaster(PseudoCluster cluster) {
    JobResult result =
        run(
            cluster,
            RECORDS
                .named("uber")
                .with("mapreduce.job.ubertask.enable", true)
                .with("sluice.reduce.bufer-mb", 64)
                // A task must fit into the ApplicationMaster.
                .with("mapreduce.map.memory.mb", 512)
                .with("mapreduce.reduce.memory.mb", 512));
    assertTrue(result.output().contains("uber mode : true"), result.output());
    assertTrue(
        result.output().contains("NO_SETTING reduce.bufer-mb (nearest reduce.buffer-mb)="),
        result.output());
  }

  private static JobResult run(PseudoCluster cluster, Scenario scenario) {
    String expected = StockOutput.of(cluster, RECORDS);
    JobResult result = scenario.run(cluster, HadoopVariant.SLUICE).requireSuccess();
    FinishedJob.of(cluster, result)
        .has("FALLBACK_MAP_TO_STOCK", "FALLBACK_REDUCE_TO_STOCK")
        .hasNo(THROUGH_SLUICE);
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
    return result;
  }
}
