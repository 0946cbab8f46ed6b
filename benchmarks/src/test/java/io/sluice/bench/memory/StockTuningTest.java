package io.sluice.bench.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.memory.NodeMemory.Intermediate;
import io.sluice.bench.memory.NodeMemory.StockTuning;
import io.sluice.bench.memory.NodeMemory.StockTuning.Mix;
import org.junit.jupiter.api.Test;

class StockTuningTest {
  private static final long BASE_BYTES = 1800 * NodeMemory.MIB;

  /** A GB and a half in 8 maps, of records of 100 bytes. */
  private static final Intermediate DATA =
      new Intermediate(1_500_000_000, 1_500_000_000, 15_000_000, 8);

  private static StockTuning tuning(double fraction, Mix mix) {
    return StockTuning.of(NodeMemory.of(BASE_BYTES, DATA, fraction), DATA, mix);
  }

  @Test
  void ampleMemoryHoldsAllOfAMap() {
    // 1.15 of (1.5 GB and 16 bytes for each record) / 8, in MiB
    assertEquals(new StockTuning(238, 438, 363, 0.7), tuning(1, Mix.SORT_HEAVY));
    assertEquals("238", tuning(1, Mix.SORT_HEAVY).settings().get("mapreduce.task.io.sort.mb"));
  }

  @Test
  void littleMemoryIsGivenToWhatTheMixNames() {
    assertEquals(new StockTuning(152, 352, 300, 0.7), tuning(0.125, Mix.SORT_HEAVY));
  }

  /** Half of what is shuffled of: a share of 45 MiB, where the others need 300. */
  @Test
  void smallHeapsGrowWithTheMemory() {
    assertEquals(new StockTuning(99, 199, 199, 0.5), tuning(0.125, Mix.SMALL_HEAPS));
    assertEquals(new StockTuning(238, 348, 825, 0.5), tuning(1, Mix.SMALL_HEAPS));
    assertEquals(
        "0.5",
        tuning(1, Mix.SMALL_HEAPS).settings().get("mapreduce.reduce.shuffle.input.buffer.percent"));
  }

  @Test
  void theHeapsAtATimeFitIntoTheNode() {
    for (double fraction : new double[] {1, 0.5, 0.25, 0.125, 0.01}) {
      long limitMb = NodeMemory.of(BASE_BYTES, DATA, fraction).limitBytes() / NodeMemory.MIB;
      for (Mix mix : Mix.values()) {
        StockTuning tuning = tuning(fraction, mix);
        assertTrue(
            2 * Math.max(tuning.mapHeapMb(), tuning.reduceHeapMb()) <= limitMb,
            "%s of %d MiB".formatted(tuning, limitMb));
      }
    }
  }

  @Test
  void aTinyJobStillHasASortBuffer() {
    Intermediate tiny = new Intermediate(1000, 1000, 10, 1);
    NodeMemory memory = NodeMemory.of(BASE_BYTES, tiny, 0.25);
    assertEquals(8, StockTuning.of(memory, tiny, Mix.SORT_HEAVY).sortMb());
    assertEquals(8, StockTuning.of(memory, tiny, Mix.SMALL_HEAPS).sortMb());
  }
}
