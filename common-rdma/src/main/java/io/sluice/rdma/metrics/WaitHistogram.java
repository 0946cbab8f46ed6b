package io.sluice.rdma.metrics;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
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

  /**
   * What a {@link WaitHistogram} has counted, at one moment.
   *
   * @param counts how many fell into each bucket, and in none below it; the last bucket has no
   *     bound
   * @param totalNanos all of them together
   */
  public record WaitCounts(List<Long> counts, long totalNanos) {
    /** How many buckets have a bound. */
    public static final int BOUNDS = 26;

    /** Of nothing. */
    public static final WaitCounts NONE =
        new WaitCounts(LongStream.range(0, BOUNDS + 1).map(i -> 0).boxed().toList(), 0);

    private static final double MICROS_PER_S = 1e6;
    private static final double NANOS_PER_S = 1e9;

    /**
     * The longest that falls into a bucket, in seconds: from a microsecond on, twice as long each.
     */
    public static double boundSeconds(int bucket) {
      return bucket < BOUNDS ? (1L << bucket) / MICROS_PER_S : Double.POSITIVE_INFINITY;
    }

    /** Both together. */
    public WaitCounts plus(WaitCounts other) {
      List<Long> sums =
          IntStream.rangeClosed(0, BOUNDS)
              .mapToObj(i -> counts.get(i) + other.counts.get(i))
              .toList();
      return new WaitCounts(sums, totalNanos + other.totalNanos);
    }

    /**
     * What this part of them was not longer than, in seconds, as Prometheus' {@code
     * histogram_quantile} estimates it: evenly spread in their bucket, and in the last one as long
     * as the bound before it. Not a number if there are none.
     */
    public double quantileSeconds(double part) {
      double rank = part * count();
      double before = 0;
      int bucket = 0;
      while (bucket < BOUNDS && before + counts.get(bucket) < rank) {
        before += counts.get(bucket);
        bucket++;
      }
      if (bucket == BOUNDS) {
        return boundSeconds(BOUNDS - 1);
      }
      double fromSeconds = bucket == 0 ? 0 : boundSeconds(bucket - 1);
      double share = (rank - before) / counts.get(bucket); // 0 / 0 if there are none
      return fromSeconds + (boundSeconds(bucket) - fromSeconds) * share;
    }

    /** How many there are. */
    public long count() {
      return counts.stream().mapToLong(Long::longValue).sum();
    }

    /** All of them together, in seconds. */
    public double totalSeconds() {
      return totalNanos / NANOS_PER_S;
    }
  }
}
