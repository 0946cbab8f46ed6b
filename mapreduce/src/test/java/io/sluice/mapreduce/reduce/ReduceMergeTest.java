package io.sluice.mapreduce.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.merge.KWayMerge;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rounds of merging, over runs that know whether they are being read. */
@Timeout(300)
final class ReduceMergeTest {
  private final HeapRuns heap = new HeapRuns();
  private int rounds;

  private KWayMerge merge(List<MergeRun> runs, int maxRuns) throws IOException {
    ReduceMerge merge = heap.merge(maxRuns);
    try {
      return merge.merge(runs);
    } finally {
      rounds = merge.rounds();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 2, 2, 0",
    "1, 2, 2, 0",
    "16, 1024, 16, 0",
    "17, 1024, 16, 1",
    "1000, 1024, 16, 66",
    "1000, 8, 8, 142",
    "100, 2, 2, 98",
    "100, 1, 2, 98"
  })
  void neverMoreRunsAtOnceThanAllowed(int count, int maxRuns, int expectedMost, int expectedRounds)
      throws IOException {
    try (KWayMerge merge = merge(heap.runs(count, new Random(count)), maxRuns)) {
      for (int i = 0; i < count; i++) {
        assertTrue(merge.next(), "record " + i);
        assertEquals(i, ByteBuffer.wrap(merge.keyBytes(), merge.keyOffset(), 4).getInt());
      }
      assertTrue(!merge.next(), "no more");
    }
    assertTrue(heap.mostOpen <= expectedMost, heap.mostOpen + " were open");
    assertEquals(expectedRounds, rounds);
    assertEquals(0, heap.open);
  }

  @Test
  void aHundredThousandRunsAreMerged() throws IOException {
    int count = 100_000;
    try (KWayMerge merge = merge(heap.runs(count, new Random(1)), 16)) {
      for (int i = 0; i < count; i++) {
        assertTrue(merge.next(), "record " + i);
        assertEquals(i, ByteBuffer.wrap(merge.keyBytes(), merge.keyOffset(), 4).getInt());
      }
    }
    assertTrue(heap.mostOpen <= 16, heap.mostOpen + " were open");
  }

  @Test
  void everyRunIsClosedWhenARoundFails() throws IOException {
    heap.stage.failAt = 3;
    List<MergeRun> runs = heap.runs(100, new Random(2));
    assertThrows(IOException.class, () -> merge(runs, 16));
    assertEquals(100 + 2, heap.closed, "inputs, and results of the rounds before");
    assertEquals(0, heap.open);
    assertEquals(3, rounds, "the one that failed too");
  }

  @Test
  void aRoundEndsWhenItIsInterruptedAndClosesItsRuns() throws IOException {
    List<MergeRun> runs = heap.runs(17, new Random(3));
    Thread.currentThread().interrupt();
    try {
      assertThrows(InterruptedIOException.class, () -> merge(runs, 16));
    } finally {
      assertTrue(Thread.interrupted(), "the caller is told, too");
    }
    assertEquals(17, heap.closed);
  }
}
