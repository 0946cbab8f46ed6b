package io.sluice.spill.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class MergePlanTest {
  @Test
  void mergesAllAtOnceWhenTheyFit() {
    assertEquals(0, KWayMerge.roundSize(3, 3));
    assertEquals(0, KWayMerge.roundSize(0, 2));
  }

  @Test
  void beginsWithAsFewAsLeaveFullRounds() {
    assertEquals(2, KWayMerge.roundSize(4, 3));
    // Hadoop's Merger.getPassFactor(10, 1, 15) is 6: then 10 runs are left.
    assertEquals(6, KWayMerge.roundSize(15, 10));
    assertEquals(10, KWayMerge.roundSize(19, 10));
  }

  @Test
  void endsWithAFullLastMergeWhateverTheNumbers() {
    for (int fanIn = 2; fanIn < 12; fanIn++) {
      for (int count = fanIn + 1; count < 200; count++) {
        int runs = count;
        for (int round = 0; KWayMerge.roundSize(runs, fanIn) > 0; round++) {
          int size = KWayMerge.roundSize(runs, fanIn);
          assertTrue(size >= 2, "a round merges something");
          assertTrue(size == fanIn || round == 0, "full after the first round");
          runs += 1 - size;
        }
        assertEquals(fanIn, runs);
      }
    }
  }

  @Test
  void refusesAFanInThatMergesNothing() {
    assertThrows(IllegalArgumentException.class, () -> KWayMerge.roundSize(3, 1));
  }
}
