package io.sluice.rdma.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WaitHistogramTest {
  private static int bucketOf(long nanos) {
    WaitHistogram histogram = new WaitHistogram();
    histogram.add(nanos);
    assertEquals(1, histogram.counts().count());
    return histogram.counts().counts().indexOf(1L);
  }

  @Test
  void eachBucketHoldsWhatIsNotLongerThanItsBound() {
    for (int i = 0; i < WaitCounts.BOUNDS; i++) {
      long boundNanos = 1_000L << i;
      assertEquals(boundNanos / 1e9, WaitCounts.boundSeconds(i));
      assertEquals(i, bucketOf(boundNanos));
      assertEquals(i + 1, bucketOf(boundNanos + 1));
    }
  }

  /** A last resort waits 10 s, and all that one lease waits for and a unit of a device 20 s. */
  @Test
  void whatWaitsForItsWholeDeadlineFallsIntoABucketWithABound() {
    assertTrue(bucketOf(TimeUnit.SECONDS.toNanos(10)) < bucketOf(TimeUnit.SECONDS.toNanos(20)));
    assertTrue(bucketOf(TimeUnit.SECONDS.toNanos(33)) < WaitCounts.BOUNDS);
  }

  @Test
  void nothingIsTooShortOrTooLong() {
    assertEquals(0, bucketOf(0));
    assertEquals(0, bucketOf(1));
    assertEquals(WaitCounts.BOUNDS, bucketOf(TimeUnit.DAYS.toNanos(1)));
    assertTrue(Double.isInfinite(WaitCounts.boundSeconds(WaitCounts.BOUNDS)));
  }

  @Test
  void estimatesHowLongAPartOfThemTook() {
    WaitHistogram histogram = new WaitHistogram();
    assertTrue(Double.isNaN(histogram.counts().quantileSeconds(0.5)));
    long[] bounds = {(long) (WaitCounts.boundSeconds(2) * 1e9), 0, TimeUnit.DAYS.toNanos(1)};
    for (int i = 0; i < 10; i++) {
      histogram.add(bounds[i < 8 ? 0 : i - 7]);
    }
    WaitCounts counts = histogram.counts(); // one in the first bucket, eight in the third
    double fromSeconds = WaitCounts.boundSeconds(1);
    double toSeconds = WaitCounts.boundSeconds(2);
    assertEquals(WaitCounts.boundSeconds(0), counts.quantileSeconds(0.1), 1e-12);
    assertEquals((fromSeconds + toSeconds) / 2, counts.quantileSeconds(0.5), 1e-12);
    assertEquals(toSeconds, counts.quantileSeconds(0.9), 1e-12);
    assertEquals(WaitCounts.boundSeconds(WaitCounts.BOUNDS - 1), counts.quantileSeconds(0.99));
  }

  @Test
  void addsUpAllThatItCounted() {
    WaitHistogram histogram = new WaitHistogram();
    assertEquals(WaitCounts.NONE, histogram.counts());
    histogram.add(500);
    histogram.add(1_500_000_000);
    assertEquals(2, histogram.counts().count());
    assertEquals(1.5000005, histogram.counts().totalSeconds());
  }
}
