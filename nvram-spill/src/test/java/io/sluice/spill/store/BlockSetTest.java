package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BlockSetTest {
  private static final int BLOCK = 4096;

  private final BlockSet set = new BlockSet(BLOCK);

  @Test
  void rangesMergeAndSplit() {
    set.add(blocks(0, 0, 4));
    set.add(blocks(0, 4, 2));
    set.add(blocks(1, 7, 1));
    assertEquals(List.of(blocks(0, 0, 6), blocks(1, 7, 1)), set.ranges());
    set.remove(blocks(0, 2, 1));
    assertEquals(List.of(blocks(0, 0, 2), blocks(0, 3, 3), blocks(1, 7, 1)), set.ranges());
    assertEquals(6 * BLOCK, set.bytes());
    assertEquals(6 * BLOCK, set.endBytesOf(0));
    assertEquals(0, set.endBytesOf(5));
  }

  @Test
  void containsOnlyWholeBlocksThatAreAllThere() {
    set.add(blocks(0, 2, 3));
    assertTrue(set.contains(blocks(0, 2, 3)));
    assertTrue(set.contains(blocks(0, 3, 1)));
    assertFalse(set.contains(blocks(0, 1, 2)));
    assertFalse(set.contains(blocks(0, 4, 2)));
    assertFalse(set.contains(blocks(1, 2, 1)));
    assertFalse(set.contains(new Range(0, 2 * BLOCK + 1, BLOCK)));
    assertFalse(set.contains(new Range(0, 2 * BLOCK, BLOCK - 1)));
    assertFalse(set.contains(new Range(0, Long.MAX_VALUE / BLOCK * BLOCK - BLOCK, BLOCK)));
    assertTrue(set.isDisjoint(blocks(0, 0, 2)));
    assertFalse(set.isDisjoint(blocks(0, 0, 3)));
  }

  @Test
  void addingOrRemovingTwiceIsABug() {
    set.add(blocks(0, 0, 2));
    assertThrows(IllegalStateException.class, () -> set.add(blocks(0, 1, 2)));
    assertThrows(IllegalStateException.class, () -> set.remove(blocks(0, 1, 2)));
    set.remove(blocks(0, 0, 2));
    assertTrue(set.isEmpty());
    assertThrows(IllegalStateException.class, () -> set.remove(blocks(0, 0, 1)));
  }

  @Test
  void theShortestStretchThatFitsIsTakenOfTheSegmentWithFewestBlocks() {
    set.add(blocks(0, 0, 10));
    set.add(blocks(0, 20, 3));
    set.add(blocks(1, 0, 5));
    set.add(blocks(1, 10, 2));
    assertEquals(Optional.of(blocks(1, 10, 2)), set.bestFit(2 * BLOCK));
    assertEquals(Optional.of(blocks(1, 0, 4)), set.bestFit(4 * BLOCK));
    set.remove(blocks(1, 0, 4));
    assertEquals(Optional.of(blocks(0, 20, 3)), set.bestFit(3 * BLOCK));
    assertEquals(Optional.of(blocks(0, 0, 10)), set.bestFit(10 * BLOCK));
    assertEquals(Optional.empty(), set.bestFit(11 * BLOCK));
    assertEquals(Optional.empty(), set.bestFit(Long.MAX_VALUE / BLOCK * BLOCK));
    assertEquals(Optional.of(blocks(0, 0, 10)), set.longest());
    assertEquals(Optional.empty(), new BlockSet(BLOCK).longest());
  }

  /**
   * Every other block is free, as after two applications that wrote in turn, of which one ended.
   */
  @Test
  void whatIsTakenInManyPiecesDoesNotLookAtAllStretchesForEach() {
    int segments = 100;
    int stretches = 50; // of one block, in each segment
    for (int segment = 0; segment < segments; segment++) {
      for (int i = 0; i < stretches; i++) {
        set.add(blocks(segment, 2 * i, 1));
      }
    }
    int pieces = 1000;
    for (int i = 0; i < pieces; i++) {
      assertEquals(Optional.empty(), set.bestFit((pieces - i) * BLOCK + BLOCK));
      set.remove(set.longest().orElseThrow());
    }
    long all = (long) segments * stretches;
    assertTrue(set.looks() <= all + 3L * pieces * stretches, set.looks() + " looks");
  }

  @Test
  void stretchesAreFoundAsInAListOfAll() {
    Random random = TestSeed.random();
    for (int i = 0; i < 2000; i++) {
      Range range = blocks(random.nextInt(4), random.nextInt(30), 1 + random.nextInt(4));
      if (set.isDisjoint(range)) {
        set.add(range);
      } else if (set.contains(range)) {
        set.remove(range);
      } else {
        set.exclude(range);
      }
      List<Range> all = set.ranges();
      long wantedBytes = (1L + random.nextInt(8)) * BLOCK;
      assertEquals(
          all.stream()
              .filter(each -> each.lengthBytes() >= wantedBytes)
              .min(
                  Comparator.comparingLong((Range each) -> set.bytesOf(each.segmentId()))
                      .thenComparing(Range::segmentId)
                      .thenComparing(Range::lengthBytes))
              .map(each -> new Range(each.segmentId(), each.offsetBytes(), wantedBytes)),
          set.bestFit(wantedBytes));
      assertEquals(
          all.stream().mapToLong(Range::lengthBytes).max().orElse(0),
          set.longest().map(Range::lengthBytes).orElse(0L));
    }
  }

  @Test
  void tiersAreCountedApart() {
    set.add(blocks(3, 0, 2));
    set.add(blocks(SegmentInfo.DISK_ID_BASE, 0, 5));
    assertEquals(2 * BLOCK, set.bytesOf(Tier.MEMORY));
    assertEquals(5 * BLOCK, set.bytesOf(Tier.DISK));
  }

  private static Range blocks(int segmentId, int from, int count) {
    return new Range(segmentId, (long) from * BLOCK, (long) count * BLOCK);
  }
}
