package io.sluice.mapreduce.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.mapreduce.merge.MergeMemory.ChunkLength;
import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.reduce.ReduceMerge.MergedRun;
import io.sluice.mapreduce.testing.Codecs;
import io.sluice.mapreduce.testing.HeaderCodec;
import io.sluice.spill.merge.KWayMerge;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.Lz4Codec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  private static void assertMerges(int count, KWayMerge merge, Runnable each) throws IOException {
    for (int i = 0; i < count; i++) {
      assertTrue(merge.next(), "record " + i);
      assertEquals(i, ByteBuffer.wrap(merge.keyBytes(), merge.keyOffset(), 4).getInt());
      each.run();
    }
    assertTrue(!merge.next(), "no more");
  }

  @ParameterizedTest
  @ValueSource(classes = {DefaultCodec.class, SnappyCodec.class, Lz4Codec.class})
  void aThousandRunsInChunksAreReadAtOnceThroughOneDecompressor(Class<?> type) throws IOException {
    CompressionCodec codec = Codecs.of(type);
    int before = Codecs.decompressors(codec);
    List<MergeRun> runs = heap.longRuns(1000, codec);
    ReduceMerge merging = heap.ampleMerge(codec);
    try (KWayMerge merge = merging.merge(runs)) {
      assertMerges(
          2000, merge, () -> assertTrue(Codecs.decompressors(codec) <= before + 1, "leases"));
    }
    assertEquals(0, merging.rounds());
    assertEquals(1000, heap.mostOpen);
    assertEquals(before, Codecs.decompressors(codec));
  }

  /** Whatever the settings of the reduce say of the number of maps. */
  @ParameterizedTest
  @CsvSource({"32, 1024", "64, 568", "128, 301", "256, 155"})
  void aMergeTakesAsManyAsTheLongestChunkThatWasToldLeavesRoomFor(int toldKb, int expected) {
    ReduceMerge merging = heap.ampleMerge(Codecs.of(DefaultCodec.class));
    assertEquals(1024, merging.leastFanIn());
    merging.expect(told(toldKb << 10));
    assertEquals(expected, merging.leastFanIn());
    merging.expect(told(ChunkLength.LEAST_BYTES));
    assertEquals(expected, merging.leastFanIn());
  }

  /** A node with settings of its own, say. */
  @Test
  void aRunOfLongChunksTakesRoomFromNoOther() {
    ReduceMerge merging = heap.ampleMerge(Codecs.of(DefaultCodec.class));
    List<MergeRun> runs = new ArrayList<>(Collections.nCopies(999, told(ChunkLength.LEAST_BYTES)));
    runs.add(told(ChunkLength.MOST_BYTES));
    runs.forEach(merging::expect);
    assertTrue(merging.fanIn(runs) >= 1000, merging.fanIn(runs) + " of them");
  }

  /** Whatever is stored says little of the blocks that a merge needs. */
  @Test
  void theLongestBlocksBoundAMergeWhateverIsStored() {
    ReduceMerge merging = heap.ampleMerge(Codecs.of(DefaultCodec.class));
    List<MergeRun> runs = new ArrayList<>();
    for (int i = 1; i <= 600; i++) {
      runs.add(
          new MergedRun("test", 601 - i, i << 10, RunForm.CHUNKS, ChunkLength.MOST_BYTES, null));
    }
    runs.forEach(merging::expect);
    int fanIn = merging.fanIn(runs);
    assertEquals(155, fanIn); // of the longest
    Collections.reverse(runs);
    assertEquals(fanIn, merging.fanIn(runs));
  }

  private static MergeRun told(int chunkBytes) {
    return new MergedRun("test", 1, Long.MAX_VALUE, RunForm.CHUNKS, chunkBytes, null);
  }

  /** As many at once as there is memory for: 1 MiB and a little for each. */
  @Test
  void eachRunOfACodecThatIsNotKnownHasADecompressor() throws IOException {
    CompressionCodec codec = Codecs.of(HeaderCodec.class);
    int before = Codecs.decompressors(codec);
    ReduceMerge merging = heap.ampleMerge(codec);
    AtomicInteger most = new AtomicInteger();
    try (KWayMerge merge = merging.merge(heap.longRuns(100, codec))) {
      assertMerges(
          200, merge, () -> most.accumulateAndGet(Codecs.decompressors(codec) - before, Math::max));
    }
    assertEquals(1, merging.rounds());
    assertEquals(60, most.get(), "and one run of the round, which has none");
    assertEquals(before, Codecs.decompressors(codec));
  }

  @Test
  void oneOutputOfStockLeavesTheOthersTogether() throws IOException {
    CompressionCodec codec = Codecs.of(DefaultCodec.class);
    List<MergeRun> runs = heap.longRuns(999, codec);
    runs.add(heap.stocks(1998, codec));
    ReduceMerge merging = heap.ampleMerge(codec);
    try (KWayMerge merge = merging.merge(runs)) {
      assertMerges(1999, merge, () -> {});
    }
    assertEquals(0, merging.rounds());
  }

  /** Stock's are the shortest here, so the first round takes nearly all of them. */
  @Test
  void whatARoundHasMergedOfStocksOutputsTakesNoMoreDecompressors() throws IOException {
    CompressionCodec codec = Codecs.of(DefaultCodec.class);
    List<MergeRun> runs = heap.longRuns(700, codec);
    for (int key = 1400; key < 1700; key++) {
      runs.add(heap.stocks(key, codec));
    }
    ReduceMerge merging = heap.ampleMerge(codec);
    try (KWayMerge merge = merging.merge(runs)) {
      assertMerges(1700, merge, () -> {});
    }
    assertEquals(1, merging.rounds());
  }

  /** Nothing else is merged twice for their sake, here that of 12, of which 11 fit into a merge. */
  @Test
  void streamsThatHoldUpTheOthersAreMergedAlone() throws IOException {
    List<MergeRun> runs = heap.runs(1000, new Random(8), Codecs.of(DefaultCodec.class));
    for (int key = 1000; key < 1012; key++) {
      runs.add(heap.stocks(key, Codecs.of(DefaultCodec.class)));
    }
    ReduceMerge merging = heap.mergeOfElevenStreams(Codecs.of(DefaultCodec.class));
    try (KWayMerge merge = merging.merge(runs)) {
      assertMerges(1012, merge, () -> {});
    }
    assertEquals(1, merging.rounds());
    assertTrue(merging.roundRecords() < 11, merging.roundRecords() + " records twice");
  }

  /** A read that does not end, say. */
  @Test
  void allAreClosedWhereOneCannotBeSuspended() throws IOException {
    List<MergeRun> runs = heap.runs(100, new Random(9));
    MergeRun last = runs.remove(99);
    runs.add(
        (MergeRun)
            Proxy.newProxyInstance(
                MergeRun.class.getClassLoader(),
                new Class<?>[] {MergeRun.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("suspend")) {
                    throw new IllegalStateException("a read does not end");
                  }
                  return method.invoke(last, arguments);
                }));
    assertThrows(IllegalStateException.class, () -> merge(runs, 16));
    assertEquals(100, heap.closed);
  }

  @Test
  void aRoundClosesItsRunsWhichMayHoldMoreThanTheirInputs() throws IOException {
    AtomicInteger closes = new AtomicInteger();
    List<MergeRun> runs =
        heap.runs(31, new Random(9)).stream().map(run -> counting(run, closes)).toList();
    try (KWayMerge merge = merge(runs, 16)) {
      assertEquals(1, rounds);
      assertEquals(16, closes.get());
      assertMerges(31, merge, () -> {});
    }
  }

  private static MergeRun counting(MergeRun run, AtomicInteger closes) {
    return (MergeRun)
        Proxy.newProxyInstance(
            MergeRun.class.getClassLoader(),
            new Class<?>[] {MergeRun.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                closes.incrementAndGet();
              }
              return method.invoke(run, arguments);
            });
  }

  /** With one decompressor for all that is in chunks. */
  @Test
  void roundsWriteWhatTheyMergeCompressed() throws IOException {
    int count = 1000;
    merge(heap.runs(count, new Random(6)), 16).close();
    long plainBytes = heap.stage.writtenBytes;
    heap.stage.writtenBytes = 0;
    CompressionCodec codec = Codecs.of(SnappyCodec.class);
    int before = CodecPool.getLeasedDecompressorsCount(codec);
    int compressorsBefore = CodecPool.getLeasedCompressorsCount(codec);
    List<MergeRun> runs = heap.runs(count, new Random(6), codec);
    try (KWayMerge merge = heap.merge(16, codec).merge(runs)) {
      for (int i = 0; i < count; i++) {
        assertTrue(merge.next(), "record " + i);
        assertEquals(i, ByteBuffer.wrap(merge.keyBytes(), merge.keyOffset(), 4).getInt());
        int leased = CodecPool.getLeasedDecompressorsCount(codec) - before;
        assertTrue(leased <= 1, leased + " decompressors");
      }
      assertTrue(!merge.next(), "no more");
    }
    assertEquals(before, CodecPool.getLeasedDecompressorsCount(codec));
    assertEquals(compressorsBefore, CodecPool.getLeasedCompressorsCount(codec));
    assertTrue(
        heap.stage.writtenBytes < plainBytes * 3 / 4,
        heap.stage.writtenBytes + " bytes were staged, " + plainBytes + " without a codec");
  }

  @Test
  void decompressorsAndCompressorsGoBackWhenARoundFails() throws IOException {
    CompressionCodec codec = Codecs.of(SnappyCodec.class);
    int before = CodecPool.getLeasedDecompressorsCount(codec);
    int compressorsBefore = CodecPool.getLeasedCompressorsCount(codec);
    heap.stage.failAt = 20; // which merges what others have staged
    List<MergeRun> runs = heap.longRuns(40, codec); // open when the first chunk is written
    assertThrows(IOException.class, () -> heap.merge(2, codec).merge(runs));
    assertEquals(before, CodecPool.getLeasedDecompressorsCount(codec));
    assertEquals(compressorsBefore, CodecPool.getLeasedCompressorsCount(codec));
    assertEquals(0, heap.open);
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
