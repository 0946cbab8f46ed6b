package io.sluice.bench.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.memory.NodeMemory.Intermediate;
import io.sluice.bench.memory.NodeMemory.SluiceTuning;
import org.junit.jupiter.api.Test;

class SluiceTuningTest {
  private static final Intermediate DATA =
      new Intermediate(1_500_000_000, 1_500_000_000, 15_000_000, 8);

  private static SluiceTuning tuning(double fraction) {
    return SluiceTuning.of(NodeMemory.of(0, DATA, fraction), DATA);
  }

  @Test
  void takesNoMoreThanThereIsForTheShuffle() {
    for (double fraction : new double[] {1, 0.5, 0.25, 0.125}) {
      SluiceTuning tuning = tuning(fraction);
      long atATimeMb = 2L * tuning.windowsMb() + tuning.poolMb();
      long sharesMb = Math.round(DATA.bytes() * fraction) / NodeMemory.MIB;
      assertTrue(atATimeMb <= sharesMb + 1, "%s of %d MiB".formatted(tuning, sharesMb));
      assertTrue(tuning.sortMb() <= tuning.windowsMb(), tuning.toString());
    }
  }

  @Test
  void buffersAreSmallAndAQuarterOfTheMemoryAtMost() {
    assertEquals(new SluiceTuning(16, 16, 325, 4), tuning(0.25));
    assertEquals(new SluiceTuning(8, 8, 55, 1), tuning(0.05));
  }

  @Test
  void aPoolHasAtLeastTwelveSegments() {
    Intermediate tiny = new Intermediate(1000, 1000, 10, 1);
    assertEquals(
        new SluiceTuning(8, 8, 12, 1), SluiceTuning.of(NodeMemory.of(0, tiny, 0.25), tiny));
  }
}
