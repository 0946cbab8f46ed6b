package io.sluice.bench.micro;

import io.sluice.spill.store.Lease;
import io.sluice.spill.store.StoreConfig;
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
}
