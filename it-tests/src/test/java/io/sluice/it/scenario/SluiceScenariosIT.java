package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.demo.Variant;
import io.sluice.it.job.JobCounters;
import io.sluice.it.job.JobHistory;
import io.sluice.it.job.JobResult;
import io.sluice.it.jobs.KeyType;
import io.sluice.it.jobs.ScenarioConf;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The same job stock and through Sluice: same output, and Sluice really carried it. */
@ExtendWith(SharedCluster.class)
class SluiceScenariosIT {

  static Stream<Scenario> scenarios() {
    return Stream.of(
        Scenario.newApi("own-comparator-skew-many-runs")
            .with(ScenarioConf.REVERSE, true)
            .with(ScenarioConf.HOT_KEY_PERCENT, 30)
            .with(ScenarioConf.RECORDS_PER_MAP, 50_000)
            .with("mapreduce.task.io.sort.mb", 1)
            .with("mapreduce.task.io.sort.factor", 3)
            .with("mapreduce.job.reduces", 4),
        Scenario.newApi("record-larger-than-the-sort-buffer")
            .with(ScenarioConf.KEY_TYPE, KeyType.BYTES)
            .with(ScenarioConf.HUGE_VALUE_LENGTH, 24 << 20)
            .with("mapreduce.task.io.sort.mb", 8)
            .with("mapreduce.job.reduces", 2),
        Scenario.newApi("compressed")
            .with(ScenarioConf.KEY_TYPE, KeyType.INT)
            .with("mapreduce.map.output.compress", true)
            .with("mapreduce.job.reduces", 2),
        Scenario.newApi("combiner")
            .with(ScenarioConf.KEY_TYPE, KeyType.LONG)
            .with(ScenarioConf.COMBINE, true)
            .with(ScenarioConf.RECORDS_PER_MAP, 100_000)
            .with("mapreduce.task.io.sort.mb", 1)
            .with("mapreduce.job.reduces", 2),
        Scenario.oldApi("old-api-combiner-many-maps")
            .with(ScenarioConf.MAPS, 6)
            .with("mapreduce.job.reduces", 2),
        Scenario.newApi("empty-keys-and-values")
            .with(ScenarioConf.KEY_TYPE, KeyType.EMPTY)
            .with(ScenarioConf.MAX_VALUE_LENGTH, 1)
            .with("mapreduce.job.reduces", 1));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void sluiceWritesWhatStockWrites(Scenario scenario, PseudoCluster cluster) {
    assumeTrue(cluster.spec().sluice().isPresent(), "the plugin jar has not been built");
    scenario.run(cluster, Variant.STOCK).requireSuccess();
    JobResult result = scenario.run(cluster, Variant.SLUICE).requireSuccess();
    Oracle.assertSameOutput(
        cluster, scenario.output(Variant.STOCK), scenario.output(Variant.SLUICE));
    JobCounters counters = JobHistory.of(cluster).counters(result.jobId());
    assertTrue(
        counters.sluiceSum("READ_BYTES_") > 0,
        "Sluice's counters: " + counters.group(JobCounters.SLUICE));
    assertEquals(0, counters.sluiceSum("FALLBACK_"), "left to stock");
  }
}
