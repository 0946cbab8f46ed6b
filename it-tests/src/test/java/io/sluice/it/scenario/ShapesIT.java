package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.jobs.ScenarioConf;
import io.sluice.it.jobs.ScenarioConf.KeyType;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Jobs whose records, settings or sizes are out of the ordinary; the output is stock's. */
@ExtendWith(SharedCluster.class)
class ShapesIT {
  /** The smallest sort buffer, so that little data makes several spills. */
  private static final String SORT_MB = "mapreduce.task.io.sort.mb";

  private static final String REDUCES = "mapreduce.job.reduces";

  @AfterEach
  void nothingIsLeftInThePools(PseudoCluster cluster) {
    Pools.awaitEmpty(cluster);
  }

  @Test
  @Tag("campaign")
  void combinersOfBothApisAddUpOverSeveralSpills(PseudoCluster cluster) {
    int keys = 1_000;
    Scenario newApi =
        summing(Scenario.newApi("combine-new"), keys).with(ScenarioConf.COMBINE, true);
    Scenario oldApi = summing(Scenario.oldApi("combine-old"), keys);
    String expected = StockOutput.of(cluster, newApi);
    for (Scenario scenario : List.of(newApi, oldApi)) {
      FinishedJob finished =
          FinishedJob.of(cluster, scenario.run(cluster, HadoopVariant.SLUICE).requireSuccess());
      finished.hasNoFallback().has("MERGE_MS");
      assertEquals(
          2 * keys,
          finished.counters().task("REDUCE_INPUT_RECORDS"),
          scenario.name() + ": each of two maps has one record for each key");
      Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
    }
  }

  private static Scenario summing(Scenario scenario, int keys) {
    return scenario
        .with(ScenarioConf.MAPS, 2)
        .with(ScenarioConf.DISTINCT_KEYS, keys)
        .with(ScenarioConf.KEY_TYPE, KeyType.LONG)
        .with(ScenarioConf.RECORDS_PER_MAP, 400_000)
        .with(REDUCES, 2)
        .with(SORT_MB, 1);
  }

  /**
   * Compressed runs; an order of the job's own; nine of ten records have one key, which is empty;
   * values from empty to larger than the sort buffer; more partitions than maps, which merge.
   */
  @Test
  void skewedHugeEmptyCompressedAndBackwards(PseudoCluster cluster) {
    Scenario scenario =
        Scenario.newApi("odd")
            .with(ScenarioConf.MAPS, 3)
            .with(ScenarioConf.RECORDS_PER_MAP, 10_000)
            .with(ScenarioConf.HOT_KEY_PERCENT, 90)
            .with(ScenarioConf.MAX_VALUE_LENGTH, 1_024)
            .with(ScenarioConf.HUGE_VALUE_LENGTH, 6 << 20)
            .with(ScenarioConf.REVERSE, true)
            .with("mapreduce.map.output.compress", true)
            .with("mapreduce.task.io.sort.factor", 2)
            .with(REDUCES, 5)
            .with(SORT_MB, 1);
    String expected = StockOutput.of(cluster, scenario);
    FinishedJob.of(cluster, scenario.run(cluster, HadoopVariant.SLUICE).requireSuccess())
        .hasNoFallback()
        .mapsLogged("does not fit into the sort buffer")
        .mapsLogged("Merging the runs of");
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }

  @Test
  @Tag("campaign")
  void keysAndValuesWithoutBytes(PseudoCluster cluster) {
    Scenario scenario =
        Scenario.newApi("empty")
            .with(ScenarioConf.KEY_TYPE, KeyType.EMPTY)
            .with(ScenarioConf.MAX_VALUE_LENGTH, 1);
    String expected = StockOutput.of(cluster, scenario);
    FinishedJob.of(cluster, scenario.run(cluster, HadoopVariant.SLUICE).requireSuccess())
        .hasNoFallback();
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }

  /** More runs than a small reduce buffer can merge at once, and more bytes than memory tiers. */
  @Test
  void manyRunsAreMergedInRoundsAndWhatDoesNotFitIsOnDisk(PseudoCluster cluster) throws Exception {
    Scenario scenario =
        Scenario.newApi("rounds")
            .with(ScenarioConf.MAPS, 4)
            .with(ScenarioConf.KEY_TYPE, KeyType.BYTES)
            .with(ScenarioConf.RECORDS_PER_MAP, 6_500)
            .with(ScenarioConf.MAX_VALUE_LENGTH, 4_096)
            .with(SORT_MB, 1)
            .with("sluice.reduce.buffer-mb", 1);
    String expected = StockOutput.of(cluster, scenario);
    long diskUses = Pools.diskUses(cluster);
    FinishedJob.of(cluster, scenario.run(cluster, HadoopVariant.SLUICE).requireSuccess())
        .hasNoFallback()
        .has("MERGE_ROUNDS", "SPILL_BYTES_MEMORY");
    assertTrue(Pools.diskUses(cluster) > diskUses, "nothing went to disk");
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }
}
