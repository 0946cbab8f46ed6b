package io.sluice.bench.micro;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.PrivateDirectory;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
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

/** The time to write a map's output into a pool, and that of its commit. */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 10)
@Measurement(iterations = 20)
@Fork(1)
public class WriterBenchmark {
  private static final String APPLICATION = "application_1";
  private static final int RECORD_BYTES = 102;
  private static final int LEASE_BYTES = 8 << 20;
  private static final int CHUNK_BYTES = 1 << 20;

  /** A pool with room for two outputs and what blocks leave of them. */
  @State(Scope.Benchmark)
  public static class Pool {
    /** Where its directory is made. */
    @Param("/dev/shm")
    public String parent;

    @Param("130000000")
    public int outputBytes;

    private final Medium medium = new PlainMedium();
    private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
    private Path directory;
    private SpillStore store;
    private int outputs;

    /** Opens it, with all of its memory allocated. */
    @Setup
    public void open() throws IOException {
      byte[] bytes = new byte[CHUNK_BYTES];
      new Random(1).nextBytes(bytes);
      chunk.put(0, bytes);
      directory = Files.createTempDirectory(Path.of(parent), "sluice-bench-");
      store =
          SpillStore.open(
              StoreConfig.builder(directory, 2L * outputBytes + (128L << 20))
                  .wholeAtStart(true)
                  .medium(medium)
                  .build());
    }

    /** Closes and removes it. */
    @TearDown
    public void close() throws IOException {
      store.close();
      PrivateDirectory.delete(directory);
    }

    void write(OutputWriter writer) throws IOException {
      for (int partition = 0; partition < 2; partition++) {
        writer.beginRun(partition);
        int from = 0;
        for (long done = 0; done < outputBytes / 2; done += RECORD_BYTES) {
          ByteBuffer window = writer.reserve(RECORD_BYTES);
          window.put(window.position(), chunk, from, RECORD_BYTES);
          writer.advance(RECORD_BYTES);
          from = from + 2 * RECORD_BYTES > CHUNK_BYTES ? 0 : from + RECORD_BYTES;
        }
        writer.endRun(0, 0);
      }
    }
  }

  /** A writer for one output, in a lease of its own; both are gone afterwards, and the output. */
  @State(Scope.Benchmark)
  public static class Begun {
    private Lease lease;
    private OutputWriter writer;

    /** Leases. */
    @Setup(Level.Invocation)
    public void begin(Pool pool) throws IOException {
      lease = pool.store.openLease(APPLICATION);
      writer = new OutputWriter(lease, pool.medium, 2, LEASE_BYTES);
      writer.reserveCapacity(pool.outputBytes);
    }

    /** Frees. */
    @TearDown(Level.Invocation)
    public void free(Pool pool) throws IOException {
      writer.close();
      lease.close();
      pool.store.freeApplication(APPLICATION);
    }
  }

  /** All bytes of the output written. */
  @State(Scope.Benchmark)
  public static class Written {
    /** Writes. */
    @Setup(Level.Invocation)
    public void write(Pool pool, Begun begun) throws IOException {
      pool.write(begun.writer);
    }
  }

  @Benchmark
  public void write(Pool pool, Begun begun) throws IOException {
    pool.write(begun.writer);
  }

  @Benchmark
  public void commit(Pool pool, Begun begun, Written written) throws IOException {
    begun.writer.commit(new OutputId(APPLICATION, "attempt_" + pool.outputs++));
  }
}
