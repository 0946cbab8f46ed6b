package io.sluice.rdma.metrics;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * How long something took, counted in buckets that double from a microsecond to 33 s, because
 * devices and those who wait for memory have up to 20 s.
 *
 * <p>Thread contract: safe from any thread; {@link #add} takes no lock.
 */
public final class WaitHistogram {
  private static final long NANOS_PER_MICRO = 1_000;

  private final LongAdder[] buckets =
      Stream.generate(LongAdder::new).limit(WaitCounts.BOUNDS + 1).toArray(LongAdder[]::new);
  private final LongAdder totalNanos = new LongAdder();

  /** Counts one that took so long. */
  public void add(long nanos) {
    buckets[bucketOf(nanos)].increment();
    totalNanos.add(nanos);
  }

  private static int bucketOf(long nanos) {
    long micros = (nanos + NANOS_PER_MICRO - 1) / NANOS_PER_MICRO;
    int doublings = micros <= 1 ? 0 : Long.SIZE - Long.numberOfLeadingZeros(micros - 1);
    return Math.min(doublings, WaitCounts.BOUNDS);
  }

  /** What was counted so far; of what is being counted meanwhile, some. */
  public WaitCounts counts() {
    return new WaitCounts(Arrays.stream(buckets).map(LongAdder::sum).toList(), totalNanos.sum());
  }
}
