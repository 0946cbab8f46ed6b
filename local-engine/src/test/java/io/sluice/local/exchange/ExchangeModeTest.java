package io.sluice.local.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.local.exchange.JobExchange.ExchangeMode;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExchangeModeTest {
  private static final int MAP_THREADS = 2;

  @ParameterizedTest
  @CsvSource({
    "pull, none, 20000, 100, 1, PULL",
    "push, none, 256, 100, 1, PUSH",
    "push, none, 257, 100, 1, HYBRID", // a sort buffer for each is too much
    "push, task, 1, 100, 1, PULL",
    "hybrid, task, 1, 100, 1, PULL",
    "push, slot, 1, 100, 1, HYBRID", // each slot has classes of its own
    "hybrid, slot, 1, 1, 1, HYBRID",
    "pull, slot, 20000, 100, 1, PULL",
    "auto, slot, 2, 15, 1, PULL",
    "auto, slot, 2, 16, 1, HYBRID",
    "hybrid, none, 1, 1, 1, HYBRID",
    "auto, none, 2, 15, 1, PULL", // too few maps
    "auto, none, 2, 16, 1, HYBRID", // small runs
    "auto, none, 2, 16, 2097152, PULL", // 64 KiB each
    "auto, none, 126, 16, 1073741824, HYBRID", // many
    "auto, none, 125, 16, 1073741824, PULL",
  })
  void isWhatIsSetOrFits(
      String set, String isolation, int reduces, int maps, long inputBytes, ExchangeMode expected) {
    JobConf job = new JobConf(false);
    job.set("sluice.local.exchange", set);
    job.set("sluice.local.isolation", isolation);
    job.setNumReduceTasks(reduces);
    assertEquals(expected, ExchangeMode.of(job, maps, MAP_THREADS, inputBytes));
  }

  @Test
  void mapsWhoseSpillsAreLimitedShareNothing() {
    JobConf job = new JobConf(false);
    job.set("sluice.local.exchange", "hybrid");
    job.setInt(MRJobConfig.SPILL_FILES_COUNT_LIMIT, 0);
    assertEquals(ExchangeMode.PULL, ExchangeMode.of(job, 1, MAP_THREADS, 1));
    job.setInt(MRJobConfig.SPILL_FILES_COUNT_LIMIT, -1);
    assertEquals(ExchangeMode.HYBRID, ExchangeMode.of(job, 1, MAP_THREADS, 1));
  }
}
