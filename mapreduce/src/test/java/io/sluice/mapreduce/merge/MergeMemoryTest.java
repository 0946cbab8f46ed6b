package io.sluice.mapreduce.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.testing.HeapRunInput;
import io.sluice.mapreduce.testing.UnpooledCodec;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.util.ReflectionUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said of a codec's streams against what they take, and how many of them that allows. */
final class MergeMemoryTest {
  private static final int STREAMS = 8;
  private static final long WHOLE_BLOCK = 40 << 10;
  private static final TaskMemory AMPLE = new TaskMemory(100 << 20, 40 << 20, 64_000_000);

  private final Configuration conf = new Configuration();

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  private static long heapBytes() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  @ParameterizedTest
  @ValueSource(classes = {SnappyCodec.class, DefaultCodec.class, GzipCodec.class, BZip2Codec.class})
  void streamsTakeNoMoreThanIsSaid(Class<? extends CompressionCodec> type) throws Exception {
    CompressionCodec codec = ReflectionUtils.newInstance(type, conf);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = codec.createOutputStream(bytes)) {
      for (int i = 0; i < 1_000_000; i++) {
        out.write(i ^ i >>> 9);
      }
    }
    byte[] stored = bytes.toByteArray();
    byte[] block = new byte[1000];
    long said = MergeMemory.streamBytes(codec, conf);
    List<CodecRunInput> open = new ArrayList<>();
    try {
      open.add(new CodecRunInput(new HeapRunInput(stored), codec)); // loads classes
      assertEquals(1000, open.get(0).read(block, 0, 1000));
      long beforeBytes = directBytes() + heapBytes();
      for (int i = 0; i < STREAMS; i++) {
        open.add(new CodecRunInput(new HeapRunInput(stored), codec));
        assertEquals(1000, open.get(i + 1).read(block, 0, 1000));
      }
      long taken = (directBytes() + heapBytes() - beforeBytes) / STREAMS;
      assertTrue(taken <= said * 1.25, taken + " bytes a stream, expected at most " + said);
    } finally {
      for (CodecRunInput input : open) {
        input.close();
      }
    }
  }

  @Test
  void bufferSizesOfTheJobCount() {
    conf.setInt("io.compression.codec.snappy.buffersize", 1 << 20);
    conf.setInt("io.file.buffer.size", 1 << 20);
    assertEquals(3 << 20, MergeMemory.streamBytes(new SnappyCodec(), conf));
    assertTrue(MergeMemory.streamBytes(new GzipCodec(), conf) > 1 << 20);
    assertEquals(2 << 20, MergeMemory.streamBytes(new UnpooledCodec(), conf));
    assertEquals(0, MergeMemory.streamBytes(null, conf));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 1024",
    "1, 0, 1024",
    "1000000, 0, 61",
    "1000000, 16384, 61",
    "0, 16384, 1024",
    "1000000, 5000000, 3",
    "0, 5000000, 4",
    "64000000, 0, 2",
    "1000000000, 1000000000, 2"
  })
  void maxRuns(long streamBytes, long recordBytes, int expected) {
    assertEquals(
        expected,
        new MergeMemory(AMPLE, streamBytes, 0).maxRuns(recordBytes, LongStream.of(WHOLE_BLOCK)));
  }

  /** A block more for each run, of what is decrypted. */
  @ParameterizedTest
  @CsvSource({"0, 0, 1024", "0, 16384, 976", "1000000, 0, 60", "64000000, 0, 2"})
  void maxRunsThatAreEncrypted(long streamBytes, long recordBytes, int expected) {
    MergeMemory memory = new MergeMemory(AMPLE, streamBytes, 32 << 10);
    assertTrue(
        memory.maxRuns(recordBytes, LongStream.of(WHOLE_BLOCK))
            <= new MergeMemory(AMPLE, streamBytes, 0)
                .maxRuns(recordBytes, LongStream.of(WHOLE_BLOCK)));
    assertEquals(expected, memory.maxRuns(recordBytes, LongStream.of(WHOLE_BLOCK)));
  }

  @Test
  void blocksOfAMergeAreBoundedTogether() {
    MergeMemory memory = new MergeMemory(AMPLE, 0, 0);
    assertEquals(128 << 10, memory.blockBytes(0, Long.MAX_VALUE));
    assertEquals(128 << 10, memory.blockBytes(1, 1 << 20));
    assertEquals(40 << 10, memory.blockBytes(1024, 1 << 20));
  }

  @Test
  void aShortRunNeedsNoWholeBlock() {
    MergeMemory memory = new MergeMemory(AMPLE, 0, 0);
    assertEquals(10, memory.blockBytes(1, 10));
    assertEquals(10, MergeMemory.leastBlockBytes(10));
    assertEquals(WHOLE_BLOCK, MergeMemory.leastBlockBytes(Long.MAX_VALUE));
  }

  /** Whole blocks of long runs, a little for each of short ones, and never more than 1,024. */
  @ParameterizedTest
  @CsvSource({"40960, 25", "20480, 50", "10, 1000", "0, 1000"})
  void blocksOfTheTasksShareBoundTheRuns(long leastBlockBytes, int expected) {
    TaskMemory little = new TaskMemory(4 << 20, 1000 << 10, 64_000_000);
    assertEquals(
        expected, new MergeMemory(little, 0, 0).maxRuns(0, LongStream.of(leastBlockBytes)));
  }

  /** A merge takes the longest runs last, and then all at once. */
  @ParameterizedTest
  @CsvSource({"0, 1000", "10, 610", "24, 64", "25, 25", "1000, 25"})
  void aFewLongRunsBoundTheRunsLessThanMany(int longRuns, int most) {
    TaskMemory little = new TaskMemory(4 << 20, 1000 << 10, 64_000_000);
    LongStream lengths =
        LongStream.concat(
            LongStream.generate(() -> Long.MAX_VALUE).limit(longRuns),
            LongStream.generate(() -> 10).limit(100_000));
    int runs = new MergeMemory(little, 0, 0).maxRuns(0, lengths);
    assertEquals(most, runs);
  }
}
