package io.sluice.bench.micro;

import io.sluice.spill.sort.BytewiseOrder;
import io.sluice.spill.sort.KeptChunks;
import io.sluice.spill.sort.RecordBuffer;
import io.sluice.spill.sort.SortChunks;
import io.sluice.spill.sort.SortChunks.ChunkMemory;
import io.sluice.spill.sort.SortChunks.ChunkSource;
import io.sluice.spill.sort.SortedRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Random;
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
 * Eight maps of one process, one after the other: collect, sort, gather. What it costs that each
 * takes its sort buffer anew, and that this lies on the heap (Flame-MR-It, Tables 3 and 4).
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5)
@Measurement(iterations = 20)
@Fork(value = 1, jvmArgsAppend = "-Xmx512m")
public class BufferBenchmark {
  private static final int MAPS = 8;
  private static final int RECORD_BYTES = 100;
  private static final int KEY_BYTES = 10;
  private static final int CHUNK_BYTES = 1 << 20;
  private static final int OUT_BYTES = 1 << 20;

  /** The memory of the sort buffer: each map takes it anew, or has that of the map before. */
  @Param({"heap-new", "heap-kept", "direct-new", "direct-kept"})
  public String buffer;

  /** Records of each map. */
  @Param("500000")
  public int records;

  private final byte[] record = new byte[RECORD_BYTES];
  private final ByteBuffer out = ByteBuffer.allocate(OUT_BYTES);
  private ChunkMemory memory;

  /** Nothing is kept yet. */
  @Setup
  public void open() {
    memory =
        switch (buffer) {
          case "heap-new" -> new HeapChunks(false);
          case "heap-kept" -> new HeapChunks(true);
          case "direct-new" -> ChunkMemory.DIRECT;
          case "direct-kept" -> new KeptChunks();
          default -> throw new IllegalArgumentException(buffer);
        };
  }

  /** Frees what is kept. */
  @TearDown
  public void close() {
    if (memory instanceof KeptChunks kept) {
      kept.close();
    }
  }

  @Benchmark
  public long maps() throws IOException {
    Random random = new Random(42);
    long bytes = 0;
    for (int map = 0; map < MAPS; map++) {
      bytes += map(random);
    }
    return bytes;
  }

  private long map(Random random) throws IOException {
    long memoryBytes = 3L * RECORD_BYTES * records + (16L << 20);
    try (SortChunks chunks = new SortChunks(memoryBytes, CHUNK_BYTES, memory, ChunkSource.NONE, 0);
        RecordBuffer collected = new RecordBuffer(chunks, 1, new BytewiseOrder())) {
      for (int i = 0; i < records; i++) {
        random.nextBytes(record);
        if (!collected.append(record, 0, KEY_BYTES, RECORD_BYTES - KEY_BYTES, 0)) {
          throw new IllegalStateException("full at record " + i);
        }
      }
      SortedRecords sorted = collected.sort();
      long bytes = 0;
      for (int position = 0; position < records; ) {
        position = sorted.copyEncoded(position, records, out.clear());
        bytes += out.position();
      }
      return bytes;
    }
  }

  /**
   * Chunks on the heap, as Flame-MR has them: made anew for each task, or kept for the next one.
   *
   * <p>Not thread-safe.
   */
  static final class HeapChunks implements ChunkMemory {
    private final boolean keeps;
    private final ArrayDeque<ByteBuffer> kept = new ArrayDeque<>(); // all of one length

    HeapChunks(boolean keeps) {
      this.keeps = keeps;
    }

    @Override
    public ByteBuffer allocate(int lengthBytes) {
      ByteBuffer chunk = kept.poll();
      return chunk == null ? ByteBuffer.allocate(lengthBytes) : chunk;
    }

    @Override
    public void free(ByteBuffer chunk) {
      if (keeps) {
        kept.push(chunk);
      }
    }
  }
}
