package io.sluice.rdma.metrics;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A histogram of durations, with buckets that double from a microsecond to 33 s. Devices and waits
 * for memory take up to 20 s.
 *
 * <p>Thread contract: safe from any thread; {@link #add} takes no lock.
 */
public final class WaitHistogram {
  private static final long NANOS_PER_MICRO = 1_000;

  private final LongAdder[] buckets =
      Stream.generate(LongAdder::new).limit(WaitCounts.BOUNDS + 1).toArray(LongAdder[]::new);
  private final LongAdder totalNanos = new LongAdder();

  /** Counts one duration. */
  public void add(long nanos) {
    buckets[bucketOf(nanos)].increment();
    totalNanos.add(nanos);
  }

  private static int bucketOf(long nanos) {
    long micros = (nanos + NANOS_PER_MICRO - 1) / NANOS_PER_MICRO;
    int doublings = micros <= 1 ? 0 : Long.SIZE - Long.numberOfLeadingZeros(micros - 1);
    return Math.min(doublings, WaitCounts.BOUNDS);
  }

  /** The counts so far; they may include a part of the additions in progress. */
  public WaitCounts counts() {
    return new WaitCounts(Arrays.stream(buckets).map(LongAdder::sum).toList(), totalNanos.sum());
  }

  /**
   * The counts of a {@link WaitHistogram} at one moment.
   *
   * @param counts the number of durations in each bucket, not cumulative; the last bucket has no
   *     bound
   * @param totalNanos the sum of all durations
   */
  public record WaitCounts(List<Long> counts, long totalNanos) {
    /** The number of buckets with a bound. */
    public static final int BOUNDS = 26;

    /** The counts of an empty histogram. */
    public static final WaitCounts NONE =
        new WaitCounts(LongStream.range(0, BOUNDS + 1).map(i -> 0).boxed().toList(), 0);

    private static final double MICROS_PER_S = 1e6;
    private static final double NANOS_PER_S = 1e9;

    /**
     * The upper bound of a bucket, in seconds. The first is a microsecond, and each next one is
     * twice as long.
     */
    public static double boundSeconds(int bucket) {
      return bucket < BOUNDS ? (1L << bucket) / MICROS_PER_S : Double.POSITIVE_INFINITY;
    }

    /** The sum of both. */
    public WaitCounts plus(WaitCounts other) {
      List<Long> sums =
          IntStream.rangeClosed(0, BOUNDS)
              .mapToObj(i -> counts.get(i) + other.counts.get(i))
              .toList();
      return new WaitCounts(sums, totalNanos + other.totalNanos);
    }

    /**
     * A quantile in seconds, as Prometheus' {@code histogram_quantile} estimates it: durations are
     * spread evenly in their bucket, and those in the last bucket equal the bound before it. Not a
     * number for an empty histogram.
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
      double share = (rank - before) / counts.get(bucket); // 0 / 0 if it is empty
      return fromSeconds + (boundSeconds(bucket) - fromSeconds) * share;
    }

    /** The number of durations. */
    public long count() {
      return counts.stream().mapToLong(Long::longValue).sum();
    }

    /** The sum of all durations, in seconds. */
    public double totalSeconds() {
      return totalNanos / NANOS_PER_S;
    }
  }
}
