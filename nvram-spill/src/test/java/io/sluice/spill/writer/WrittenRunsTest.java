package io.sluice.spill.writer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.WrittenRun;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WrittenRunsTest {
  private static final int PARTITIONS = 1 << 24;

  private static WrittenRun run(
      int partition, long logicalOffsetBytes, long lengthBytes, Random random) {
    int[] further =
        random.ints((int) Math.min(9, BlockChecksums.furtherBlocks(lengthBytes))).toArray();
    return new WrittenRun(
        partition,
        logicalOffsetBytes,
        lengthBytes,
        random.nextLong() >>> 8,
        random.nextBoolean() ? 0 : 1 << 15 + random.nextInt(4),
        random.nextLong() >>> 1,
        BlockChecksums.of(random.nextInt(), further));
  }

  /** Of 0 bytes and of terabytes, of checksums above and below 0. */
  private static List<WrittenRun> runs(int count) {
    Random random = new Random(count);
    List<WrittenRun> runs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int partition = i % 2 == 0 ? random.nextInt(5) : PARTITIONS - 1 - random.nextInt(5);
      runs.add(run(partition, (1L << 40) + i, i % 7 == 0 ? 0 : 1L << i % 41, random));
    }
    return runs;
  }

  @Test
  void givesBackWhatCameInThatOrder() {
    for (int count : new int[] {0, 1, 127, 128, 129, 10_000}) {
      List<WrittenRun> expected = runs(count);
      WrittenRuns written = new WrittenRuns();
      written.addAll(expected);
      assertEquals(expected, written);
      assertThrows(IndexOutOfBoundsException.class, () -> written.get(count));
    }
  }

  @Test
  void givesThoseOfAPartitionBehindEachOtherInTheirOrder() {
    List<WrittenRun> expected = runs(3_000);
    WrittenRuns written = new WrittenRuns();
    written.addAll(expected);
    List<WrittenRun> sorted = written.byPartition();
    written.add(expected.get(0));
    expected.sort(Comparator.comparingInt(WrittenRun::partition)); // a stable sort
    assertEquals(expected, sorted);
  }

  @Test
  void takesNoMoreOfTheHeapThanItSays() {
    WrittenRuns written = new WrittenRuns();
    assertEquals(0, written.heldBytes());
    written.addAll(runs(10_000));
    assertTrue(written.heldBytes() >= 10_000L * WrittenRuns.RUN_BYTES);
    assertTrue(written.heldBytes() < 10_200L * WrittenRuns.RUN_BYTES, "" + written.heldBytes());
  }
}
