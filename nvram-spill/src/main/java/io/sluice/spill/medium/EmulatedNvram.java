package io.sluice.spill.medium;

import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.segment.SegmentFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Another medium, slowed down to the speed of NVRAM as Wasi-ur-Rahman et al. emulate it ("Can
 * Non-Volatile Memory Benefit MapReduce Applications on HPC Clusters?"): each write takes a delay δ
 * = n × its own measured time more, n = 10 unless told otherwise; reads are unchanged.
 *
 * <p>Every byte goes through {@link #write}, so that the time of a write is measured without the
 * work that produced its bytes. The wait spins: sleeping is too coarse for microseconds.
 *
 * <p>Thread contract: as the wrapped medium. For experiments only; {@link MediumChooser} never
 * takes it by itself.
 */
public final class EmulatedNvram implements Medium {
  /** The paper's factor. */
  public static final double DEFAULT_DELAY_FACTOR = 10;

  private final Medium medium;
  private final double delayFactor;

  /** Slows down the writes of {@code medium} by {@code delayFactor} times their own duration. */
  public EmulatedNvram(Medium medium, double delayFactor) {
    if (!(delayFactor >= 0) || delayFactor > 10_000) {
      throw new IllegalArgumentException(
          "the delay factor must be from 0 to 10000, it is " + delayFactor);
    }
    this.medium = medium;
    this.delayFactor = delayFactor;
  }

  @Override
  public String name() {
    return "emulated:" + delayFactor + ":" + medium.name();
  }

  @Override
  public boolean isPersistent() {
    return medium.isPersistent();
  }

  @Override
  public boolean isStoredDirectly() {
    return false;
  }

  @Override
  public Optional<String> unavailabilityCause(Path pool) {
    return medium.unavailabilityCause(pool);
  }

  @Override
  public Mapping map(SegmentFile file, long offsetBytes, int lengthBytes) throws IOException {
    return medium.map(file, offsetBytes, lengthBytes);
  }

  @Override
  public void persist(Mapping mapping, int offsetBytes, int lengthBytes) {
    long startNs = System.nanoTime();
    medium.persist(mapping, offsetBytes, lengthBytes);
    delaySince(startNs);
  }

  @Override
  public void write(Mapping mapping, int offsetBytes, ByteBuffer source) {
    long startNs = System.nanoTime();
    medium.write(mapping, offsetBytes, source);
    delaySince(startNs);
  }

  private void delaySince(long startNs) {
    long endNs = System.nanoTime();
    long delayNs = (long) ((endNs - startNs) * delayFactor);
    while (System.nanoTime() - endNs < delayNs) {
      Thread.onSpinWait();
    }
  }
}
