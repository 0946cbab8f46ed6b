package io.sluice.mapreduce.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.reduce.ReduceMerge.MergeWindows;
import io.sluice.mapreduce.testing.Codecs;
import io.sluice.spill.merge.KWayMerge;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Merging while runs come. */
@Timeout(300)
final class GrowingMergeTest {
  private static final int FAN_IN = HeapRuns.WINDOWS;

  private final HeapRuns heap = new HeapRuns();
  private final GrowingMerge merge = new GrowingMerge(heap.merge(FAN_IN));

  /** One output after the other; returns the rounds that were merged before the last came. */
  private int grow(List<MergeRun> runs, int runsOfOutput) throws IOException {
    int outputs = runs.size() / runsOfOutput;
    for (int output = 0; output < outputs; output++) {
      merge.add(output, runs.subList(output * runsOfOutput, (output + 1) * runsOfOutput));
      while (merge.mergeRound(outputs - output - 1)) {
        assertTrue(output < outputs - 1 || runs.size() > FAN_IN, "in vain");
      }
    }
    return merge.rounds();
  }

  /** Those of a node that shuffles through stock, say, after so many others. */
  @ParameterizedTest
  @ValueSource(ints = {0, 500, 1000})
  void streamsThatHoldUpTheOthersAreMergedAlone(int after) throws IOException {
    CompressionCodec codec = Codecs.of(DefaultCodec.class);
    List<MergeRun> runs = heap.runs(1000, new Random(8), codec);
    for (int key = 1000; key < 1012; key++) {
      runs.add(after, heap.stocks(key, codec));
    }
    GrowingMerge growing = new GrowingMerge(heap.mergeOfElevenStreams(codec));
    for (int output = 0; output < runs.size(); output++) {
      growing.add(output, runs.subList(output, output + 1));
      growing.mergeRound(runs.size() - output - 1);
    }
    try (KWayMerge last = growing.last()) {
      for (int i = 0; i < 1012; i++) {
        assertTrue(last.next(), "record " + i);
        assertEquals(i, ByteBuffer.wrap(last.keyBytes(), last.keyOffset(), 4).getInt());
      }
    }
    assertTrue(growing.rounds() > 0);
    assertTrue(growing.roundRecords() <= 12, growing.roundRecords() + " records twice");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, 0, 0",
    "16, 1, 0, 0",
    "17, 1, 0, 1", // two runs make room for the last merge: that is left to the end
    "24, 1, 1, 1",
    "31, 1, 1, 1",
    "46, 1, 2, 2",
    "1000, 1, 62, 66",
    "1000, 5, 62, 66",
  })
  void roundsAreMergedWhileRunsCome(int count, int runsOfOutput, int early, int all)
      throws IOException {
    assertEquals(early, grow(heap.runs(count, new Random(count)), runsOfOutput));
    try (KWayMerge last = merge.last()) {
      for (int i = 0; i < count; i++) {
        assertTrue(last.next(), "record " + i);
        assertEquals(i, ByteBuffer.wrap(last.keyBytes(), last.keyOffset(), 4).getInt());
      }
      assertTrue(!last.next(), "no more");
    }
    assertEquals(all, merge.rounds());
    assertEquals(0, heap.open);
    assertTrue(heap.mostOpen <= FAN_IN, heap.mostOpen + " were open");
  }

  /** A block to parse in is as long as its run, if that is shorter than blocks are. */
  @Test
  void aMergeOfShortRunsTakesLittleHeap() throws IOException {
    int count = 1000;
    List<MergeRun> runs = heap.runs(count, new Random(1));
    MergeMemory memory = new MergeMemory(null, new Configuration(false), false, TaskMemory.alone());
    ReduceMerge all =
        new ReduceMerge(MergeWindows.UNBOUNDED, heap.stage, null, HeapRuns.ORDER, () -> {}, memory);
    long beforeBytes = allocatedBytes();
    try (KWayMerge merge = all.merge(runs)) {
      assertTrue(merge.next());
      long bytes = allocatedBytes() - beforeBytes;
      assertTrue(bytes < count * 4096L, bytes + " bytes for " + count + " short runs");
    }
  }

  private static long allocatedBytes() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  @Test
  void noRecordIsMergedTwiceBeforeTheLastHasCome() throws IOException {
    grow(heap.runs(FAN_IN * FAN_IN, new Random(4)), 1);
    assertTrue(merge.rounds() > 1, "rounds: " + merge.rounds());
    assertTrue(
        merge.roundRecords() <= FAN_IN * FAN_IN, merge.roundRecords() + " records were merged");
    merge.close();
  }

  @Test
  void everythingIsClosedAfterARoundThatFailed() throws IOException {
    heap.stage.failAt = 3;
    List<MergeRun> runs = heap.runs(100, new Random(5));
    IOException failure = assertThrows(IOException.class, () -> grow(runs, 1));
    assertEquals("no room", failure.getMessage());
    int taken = 3 * FAN_IN;
    merge.close();
    assertEquals(taken + 2, heap.closed, "what had come, and the results of two rounds");
    assertEquals(0, heap.open);
  }
}
