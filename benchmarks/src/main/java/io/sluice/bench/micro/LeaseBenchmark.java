package io.sluice.bench.micro;

import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.PrivateDirectory;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.writer.PoolChunks;
import io.sluice.spill.writer.WriteTarget;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

/** The time to lease a task's blocks and to give them back. Their memory is there already. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LeaseBenchmark {
  /** Leased and given back at a time. */
  @Param({"1", "64"})
  public int blocks;

  private LentMemory pool;

  /** Opens a pool with room for the blocks, once for each benchmark. */
  @Setup
  public void open() throws IOException {
    pool = LentMemory.open(2L * blocks * StoreConfig.DEFAULT_BLOCK_BYTES);
  }

  /** Closes and removes it. */
  @TearDown
  public void close() throws IOException {
    pool.close();
  }

  @Benchmark
  public void leaseAndRelease() throws IOException {
    pool.lease().release(pool.lease().lease(bytes()));
  }

  /** The begin and the end of each task. */
  @Benchmark
  public void openAndClose() throws IOException {
    try (Lease another = pool.store().openLease("another")) {
      another.lease(bytes());
    }
  }

  private long bytes() {
    return (long) blocks * StoreConfig.DEFAULT_BLOCK_BYTES;
  }

  /**
   * A pool in tmpfs that lends memory, as a node's does but for the socket.
   *
   * <p>Ownership: the benchmark closes it, after a sort buffer that it lent to.
   *
   * @param directory of the pool
   * @param lease what it lends by
   * @param chunks what it lends a sort buffer
   */
  record LentMemory(Path directory, SpillStore store, Lease lease, PoolChunks chunks)
      implements Closeable {
    /** All of it is there and was touched. */
    static LentMemory open(long lengthBytes) throws IOException {
      Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "sluice-bench-");
      int segmentBytes = StoreConfig.DEFAULT_BLOCK_BYTES * 64;
      long wholeBytes = (lengthBytes / segmentBytes + 1) * segmentBytes;
      SpillStore store =
          SpillStore.open(
              StoreConfig.builder(directory.resolve("pool"), wholeBytes)
                  .geometry(segmentBytes, StoreConfig.DEFAULT_BLOCK_BYTES)
                  .wholeAtStart(true)
                  .build());
      Lease lease = store.openLease("benchmark");
      lease.release(lease.lease(wholeBytes)); // which waits for it
      WriteTarget target = WriteTarget.mapped(lease, new PlainMedium());
      return new LentMemory(directory, store, lease, new PoolChunks(lease, target.memory()));
    }

    @Override
    public void close() throws IOException {
      try (store;
          lease) {
        chunks.close();
      } finally {
        PrivateDirectory.delete(directory);
      }
    }
  }
}
