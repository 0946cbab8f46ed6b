package io.sluice.rdma.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

  @Test
  void nothingIsTooShortOrTooLong() {
    assertEquals(0, bucketOf(0));
    assertEquals(0, bucketOf(1));
    assertEquals(WaitCounts.BOUNDS, bucketOf(TimeUnit.DAYS.toNanos(1)));
    assertTrue(Double.isInfinite(WaitCounts.boundSeconds(WaitCounts.BOUNDS)));
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
