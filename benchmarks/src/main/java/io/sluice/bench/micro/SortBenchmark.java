package io.sluice.bench.micro;

import io.sluice.bench.micro.LeaseBenchmark.LentMemory;
import io.sluice.spill.sort.RecordBuffer;
import io.sluice.spill.sort.SortChunks;
import io.sluice.spill.sort.SortChunks.ChunkMemory;
import io.sluice.spill.sort.SortedRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
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
 * The steps of a map task: collect, sort, gather. Each step is measured apart; those before it are
 * done outside the measured time.
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
    /** Bytes of keys and values. */
    @Param("134217728")
    public int lengthBytes;

    @Param public RecordKind kind;

    @Param("16")
    public int partitions;

    /** Where they are sorted: in memory of the process, or in what a pool lends. */
    @Param({"own", "lent"})
    public String memory;

    RecordKind.Records records;
    LentMemory lent; // null: none
    SortChunks chunks;
    RecordBuffer buffer;
    ByteBuffer out;

    /** Makes them, the same ones each time. */
    @Setup
    public void make() throws IOException {
      records = kind.make(lengthBytes);
      long memoryBytes = 2L * lengthBytes + 64L * records.keyBytes().length + (64L << 20);
      if (memory.equals("lent")) {
        lent = LentMemory.open(memoryBytes);
        chunks =
            new SortChunks(
                2L * CHUNK_BYTES, CHUNK_BYTES, ChunkMemory.DIRECT, lent.chunks(), memoryBytes);
      } else {
        chunks = new SortChunks(memoryBytes, CHUNK_BYTES);
      }
      buffer = new RecordBuffer(chunks, partitions, kind.order());
      out = ByteBuffer.allocateDirect(OUT_BYTES);
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
      byte[] bytes = records.bytes();
      int offset = 0;
      for (int keyBytes : records.keyBytes()) {
        int partition = (bytes[offset + keyBytes - 1] & 0xff) % partitions;
        if (!buffer.append(bytes, offset, keyBytes, records.valueBytes(), partition)) {
          throw new IllegalStateException("full at byte " + offset);
        }
        offset += keyBytes + records.valueBytes();
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
