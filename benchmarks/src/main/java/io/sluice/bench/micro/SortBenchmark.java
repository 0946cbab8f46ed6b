package io.sluice.bench.micro;

import io.sluice.spill.sort.ChunkMemory;
import io.sluice.spill.sort.RecordBuffer;
import io.sluice.spill.sort.SortChunks;
import io.sluice.spill.sort.SortedRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a map task does with its records: collect, sort, gather. Each step is measured apart; those
 * before it are done outside the measured time.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 10)
@Measurement(iterations = 20)
@Fork(value = 1, jvmArgsAppend = "-Xmx2g")
public class SortBenchmark {
  private static final int CHUNK_BYTES = 1 << 20;
  private static final int OUT_BYTES = 64 << 20;

  /** Records, in the order in which a task would collect them, and the buffer for them. */
  @State(Scope.Benchmark)
  public static class Records {
    /** Keys of 10 random bytes with values of 90, or addresses that begin alike. */
    @Param({"tera", "urls"})
    public String keys;

    @Param("1000000")
    public int records;

    @Param({"1", "16"})
    public int partitions;

    /** Where they are sorted: in memory of the process, or in what a pool lends. */
    @Param({"own", "lent"})
    public String memory;

    byte[] bytes;
    int[] keyLengths;
    int valueLength;
    LentMemory lent; // null: none
    SortChunks chunks;
    RecordBuffer buffer;
    ByteBuffer out;

    /** Makes them, the same ones each time. */
    @Setup
    public void make() throws IOException {
      Random random = new Random(42);
      keyLengths = new int[records];
      if (keys.equals("tera")) {
        valueLength = 90;
        bytes = new byte[records * 100];
        random.nextBytes(bytes);
        Arrays.fill(keyLengths, 10);
      } else {
        valueLength = 4;
        makeUrls(random);
      }
      long memoryBytes = 2L * bytes.length + 64L * records + (64L << 20);
      if (memory.equals("lent")) {
        lent = LentMemory.open(memoryBytes);
        chunks =
            new SortChunks(
                2L * CHUNK_BYTES, CHUNK_BYTES, ChunkMemory.DIRECT, lent.chunks(), memoryBytes);
      } else {
        chunks = new SortChunks(memoryBytes, CHUNK_BYTES);
      }
      buffer = new RecordBuffer(chunks, partitions, new BytewiseOrder());
      out = ByteBuffer.allocateDirect(OUT_BYTES);
    }

    private void makeUrls(Random random) {
      byte[][] urls = new byte[records][];
      int total = 0;
      for (int i = 0; i < records; i++) {
        String url = "http://www.example.org/page/" + random.nextInt(1_000_000);
        urls[i] = url.getBytes(StandardCharsets.ISO_8859_1);
        keyLengths[i] = urls[i].length;
        total += urls[i].length + valueLength;
      }
      bytes = new byte[total];
      int at = 0;
      for (byte[] url : urls) {
        System.arraycopy(url, 0, bytes, at, url.length);
        at += url.length + valueLength;
      }
    }

    /** Gives the memory back. */
    @TearDown
    public void close() throws IOException {
      reset();
      chunks.close();
      if (lent != null) {
        lent.close();
      }
    }

    /** As a spill leaves the buffer. */
    void reset() throws IOException {
      buffer.reset();
      chunks.giveBack();
    }

    void collect() throws IOException {
      int offset = 0;
      for (int i = 0; i < records; i++) {
        int length = keyLengths[i];
        int partition = (bytes[offset + length - 1] & 0xff) % partitions;
        if (!buffer.append(bytes, offset, length, valueLength, partition)) {
          throw new IllegalStateException("full at record " + i);
        }
        offset += length + valueLength;
      }
    }
  }

  /** A buffer that is empty. */
  @State(Scope.Benchmark)
  public static class Empty {
    /** Empties it. */
    @Setup(Level.Invocation)
    public void reset(Records records) throws IOException {
      records.reset();
    }
  }

  /** A buffer that holds all records. */
  @State(Scope.Benchmark)
  public static class Collected {
    /** Fills it. */
    @Setup(Level.Invocation)
    public void collect(Records records) throws IOException {
      records.reset();
      records.collect();
    }
  }

  /** A buffer whose records are sorted. */
  @State(Scope.Benchmark)
  public static class Sorted {
    SortedRecords sorted;

    /** Fills and sorts it. */
    @Setup(Level.Invocation)
    public void sort(Records records) throws IOException {
      records.reset();
      records.collect();
      sorted = records.buffer.sort();
    }
  }

  @Benchmark
  public int collect(Records records, Empty empty) throws IOException {
    records.collect();
    return records.buffer.recordCount();
  }

  @Benchmark
  public SortedRecords sort(Records records, Collected collected) {
    return records.buffer.sort();
  }

  /** Copies the records as runs have them, one partition behind the other. */
  @Benchmark
  public ByteBuffer gather(Records records, Sorted state) {
    ByteBuffer out = records.out.clear();
    for (int partition = 0; partition < records.partitions; partition++) {
      int position = state.sorted.firstOf(partition);
      int end = state.sorted.endOf(partition);
      while (position < end) {
        position = state.sorted.copyEncoded(position, end, out);
        if (position < end) {
          out.clear();
        }
      }
    }
    return out;
  }
}
