package io.sluice.bench.micro;

import io.sluice.spill.sort.GroupingBuffer;
import io.sluice.spill.sort.RecordBuffer;
import io.sluice.spill.sort.RecordCursor;
import io.sluice.spill.sort.SortBuffer;
import io.sluice.spill.sort.SortChunks;
import io.sluice.spill.sort.SortedSource;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
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
 * What a map task with a combiner does before the combiner itself: collect, sort, and walk through
 * the records of every key; with an index of all records, and grouped by key.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5)
@Measurement(iterations = 10)
@Fork(value = 1, jvmArgsAppend = "-Xmx2g")
public class CombineBenchmark {
  /** A buffer that is empty between two invocations. */
  @State(Scope.Benchmark)
  public static class Collecting {
    /** Of keys and values. */
    @Param("134217728")
    public int lengthBytes;

    /** Words repeat, addresses do sometimes, longs never. */
    @Param({"WORDS", "URLS", "LONGS"})
    public RecordKind kind;

    @Param("16")
    public int partitions;

    @Param({"records", "groups"})
    public String buffer;

    RecordKind.Records records;
    SortChunks chunks;
    SortBuffer collected;

    /** Makes the records, the same ones each time. */
    @Setup
    public void make() {
      records = kind.make(lengthBytes);
      long memoryBytes = 3L * lengthBytes + 100L * records.keyBytes().length;
      chunks = new SortChunks(memoryBytes, 1 << 20);
      collected =
          buffer.equals("groups")
              ? new GroupingBuffer(chunks, partitions, kind.order())
              : new RecordBuffer(chunks, partitions, kind.order());
    }

    /** Gives the memory back. */
    @TearDown
    public void close() {
      collected.close();
      chunks.close();
    }
  }

  @Benchmark
  public long collectSortAndWalk(Collecting state) throws IOException {
    byte[] bytes = state.records.bytes();
    int valueBytes = state.records.valueBytes();
    int offset = 0;
    for (int keyBytes : state.records.keyBytes()) {
      int partition = (bytes[offset + keyBytes - 1] & 0xff) % state.partitions;
      if (!state.collected.append(bytes, offset, keyBytes, valueBytes, partition)) {
        throw new IllegalStateException("full at byte " + offset);
      }
      offset += keyBytes + valueBytes;
    }
    SortedSource sorted = state.collected.sort();
    long sum = 0;
    for (int partition = 0; partition < state.partitions; partition++) {
      RecordCursor cursor = sorted.cursor(partition);
      while (cursor.next()) {
        sum += cursor.keyLength() + cursor.valueBytes()[cursor.valueOffset()];
      }
    }
    state.collected.reset();
    return sum;
  }
}
