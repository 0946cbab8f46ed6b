package io.sluice.spill.merge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MergePlanTest {
  @Test
  void mergesAllAtOnceWhenTheyFit() {
    assertEquals(0, MergePlan.nextRound(new long[] {5, 4, 3}, 3).length);
    assertEquals(0, MergePlan.nextRound(new long[0], 2).length);
  }

  @Test
  void beginsWithTheSmallestAndAsFewAsLeaveFullRounds() {
    assertArrayEquals(new int[] {2, 1}, MergePlan.nextRound(new long[] {9, 3, 1, 5}, 3));
    // Hadoop's Merger.getPassFactor(10, 1, 15) is 6: then 10 runs are left.
    assertEquals(6, MergePlan.nextRound(new long[15], 10).length);
    assertEquals(10, MergePlan.nextRound(new long[19], 10).length);
  }

  @Test
  void endsWithAFullLastMergeWhateverTheNumbers() {
    Random random = new Random(3);
    for (int fanIn = 2; fanIn < 12; fanIn++) {
      for (int count = fanIn + 1; count < 200; count += 1 + random.nextInt(9)) {
        List<Long> runs = new ArrayList<>();
        IntStream.range(0, count).forEach(i -> runs.add((long) random.nextInt(1000)));
        long total = runs.stream().mapToLong(Long::longValue).sum();
        for (int round = 0; ; round++) {
          int[] chosen =
              MergePlan.nextRound(runs.stream().mapToLong(Long::longValue).toArray(), fanIn);
          if (chosen.length == 0) {
            break;
          }
          assertTrue(chosen.length == fanIn || round == 0, "full after the first round");
          long merged = Arrays.stream(chosen).mapToLong(runs::get).sum();
          Arrays.stream(chosen).boxed().sorted((a, b) -> b - a).forEach(i -> runs.remove((int) i));
          runs.add(merged);
        }
        assertEquals(fanIn, runs.size());
        assertEquals(total, runs.stream().mapToLong(Long::longValue).sum());
      }
    }
  }

  @Test
  void refusesAFanInThatMergesNothing() {
    assertThrows(IllegalArgumentException.class, () -> MergePlan.nextRound(new long[3], 1));
  }
}
