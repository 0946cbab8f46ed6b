package io.sluice.bench.micro;

import io.sluice.bench.ArrayInput;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.BlockChecksums.BlockChecksummer;
import io.sluice.spill.format.RecordFormat;
import io.sluice.spill.merge.KWayMerge;
import io.sluice.spill.merge.RunCursor;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import io.sluice.spill.sort.BytewiseOrder;
import io.sluice.spill.sort.RecordBuffer;
import io.sluice.spill.sort.SortChunks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
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
import org.openjdk.jmh.annotations.Warmup;

/** The merge of a reduce task, whose blocks are verified as they are read. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 10)
@Measurement(iterations = 20)
@Fork(value = 1, jvmArgsAppend = "-Xmx2g")
public class MergeBenchmark {
  private static final int RECORD_BYTES = 100;
  private static final int KEY_BYTES = 10;
  private static final int CHUNK_BYTES = 1 << 20;

  @Param({"8", "64", "512"})
  public int runs;

  /** Records of all runs together. */
  @Param("1000000")
  public int records;

  /** Bytes of the memory that each run is parsed in. */
  @Param("32768")
  public int blockBytes;

  private final List<byte[]> encoded = new ArrayList<>();
  private final List<BlockChecksums> checksums = new ArrayList<>();

  /** Makes the runs, the same ones each time. */
  @Setup
  public void make() throws IOException {
    Random random = new Random(42);
    byte[] record = new byte[RECORD_BYTES];
    int ofEach = records / runs;
    for (int run = 0; run < runs; run++) {
      long memoryBytes = 3L * RECORD_BYTES * ofEach + (16L << 20);
      try (SortChunks chunks = new SortChunks(memoryBytes, CHUNK_BYTES);
          RecordBuffer buffer = new RecordBuffer(chunks, 1, new BytewiseOrder())) {
        for (int i = 0; i < ofEach; i++) {
          random.nextBytes(record);
          if (!buffer.append(record, 0, KEY_BYTES, RECORD_BYTES - KEY_BYTES, 0)) {
            throw new IllegalStateException("full at record " + i);
          }
        }
        ByteBuffer bytes = ByteBuffer.allocate((int) buffer.dataBytes() + 2);
        buffer.sort().copyEncoded(0, buffer.recordCount(), bytes);
        RecordFormat.putEnd(bytes, bytes.position());
        encoded.add(bytes.array());
        checksums.add(BlockChecksummer.sum(ByteBuffer.wrap(bytes.array())));
      }
    }
  }

  @Benchmark
  public long merge() throws IOException {
    List<RunCursor> cursors = new ArrayList<>();
    for (int run = 0; run < runs; run++) {
      byte[] bytes = encoded.get(run);
      RunInput input =
          new VerifiedRunInput(
              "run " + run, new ArrayInput(bytes), bytes.length, checksums.get(run));
      cursors.add(new RunCursor("run " + run, input, blockBytes));
    }
    long sum = 0;
    try (KWayMerge merge = new KWayMerge(cursors, new BytewiseOrder())) {
      while (merge.next()) {
        sum += merge.keyBytes()[merge.keyOffset()] + merge.valueLength();
      }
    }
    return sum;
  }
}
