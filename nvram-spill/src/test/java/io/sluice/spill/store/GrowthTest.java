package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.SegmentHandle.SegmentListener;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Segments come as they are needed, one ahead, or all at the start. */
@Timeout(300)
class GrowthTest extends PoolTestBase {
  private static final int BLOCKS = SEGMENT_BYTES / BLOCK_BYTES;

  @Test
  void aSmallJobTakesOneSegment() throws Exception {
    Counting made = new Counting(8);
    try (SpillStore store = SpillStore.open(config(8).segmentListener(made).build());
        Lease lease = store.openLease(APP)) {
      for (int i = 0; i < 100; i++) {
        lease.release(lease.lease(BLOCK_BYTES));
        lease.release(lease.lease(SEGMENT_BYTES / 2));
      }
      assertFalse(made.reached(8, 100), "all of the pool was made");
      assertEquals(SEGMENT_BYTES, store.stats().memory().createdBytes());
      assertEquals(8L * SEGMENT_BYTES, store.stats().memory().capacityBytes());
    }
  }

  @Test
  void theNextSegmentComesBeforeItIsNeeded() throws Exception {
    Counting made = new Counting(8);
    try (SpillStore store = SpillStore.open(config(8).segmentListener(made).build());
        Lease lease = store.openLease(APP)) {
      lease.lease(SEGMENT_BYTES / 2 + BLOCK_BYTES);
      assertTrue(made.reached(2, 60_000), "no segment was made ahead");
    }
  }

  @Test
  void allSegmentsComeAtTheStartWhereTheyAreToldTo() throws Exception {
    Counting made = new Counting(8);
    StoreConfig config = config(8).wholeAtStart(true).segmentListener(made).build();
    try (SpillStore store = SpillStore.open(config)) {
      assertTrue(made.reached(8, 60_000), () -> "not whole: " + store.stats());
    }
  }

  @Test
  void fullMeansThatTheConfiguredCapacityIsUsed() throws Exception {
    try (SpillStore store = SpillStore.open(config(4).build());
        Lease lease = store.openLease(APP)) {
      for (int block = 0; block < 4 * BLOCKS; block++) {
        assertEquals(1, lease.lease(BLOCK_BYTES).size());
      }
      assertThrows(StoreFullException.class, () -> lease.lease(BLOCK_BYTES));
      assertEquals(4L * SEGMENT_BYTES, store.stats().memory().leasedBytes());
    }
  }

  @Test
  void leasesSideBySideGetAllOfItAndNothingGoesToDisk() throws Exception {
    int threads = 8;
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try (SpillStore store = SpillStore.open(configWithDisk(8).fillTimeoutMs(60_000).build())) {
      List<Future<Lease>> leases = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        boolean contiguous = thread % 2 == 0;
        leases.add(
            executor.submit(
                () -> {
                  Lease lease = store.openLease(APP);
                  for (int i = 0; i < 4; i++) {
                    if (contiguous) {
                      lease.leaseContiguous(SEGMENT_BYTES / 4);
                    } else {
                      lease.lease(SEGMENT_BYTES / 4);
                    }
                  }
                  return lease;
                }));
      }
      for (Future<Lease> lease : leases) {
        lease.get(120, TimeUnit.SECONDS);
      }
      assertEquals(0, store.stats().overflows());
      assertEquals(8L * SEGMENT_BYTES, store.stats().memory().leasedBytes());
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void aPieceThatFindsOnlyCrumbsGetsANewSegment() throws Exception {
    try (SpillStore store = SpillStore.open(configWithDisk(3).build());
        Lease lease = store.openLease(APP)) {
      Extent first = lease.leaseContiguous(SEGMENT_BYTES);
      Extent second = lease.leaseContiguous(SEGMENT_BYTES);
      for (Extent extent : List.of(first, second)) {
        for (int block = 0; block < BLOCKS; block += 2) {
          lease.release(
              List.of(new Extent(extent.segment(), (long) block * BLOCK_BYTES, BLOCK_BYTES)));
        }
      }
      assertEquals(Tier.MEMORY, lease.leaseContiguous(SEGMENT_BYTES).segment().tier());
      assertEquals(0, store.stats().overflows());
    }
  }

  @Test
  void whatNoSegmentHoldsInOnePieceDoesNotWaitForOne() throws Exception {
    Counting made = new Counting(4);
    StoreConfig config = configWithDisk(4).segmentListener(made).build();
    try (SpillStore store = SpillStore.open(config);
        Lease lease = store.openLease(APP)) {
      assertEquals(Tier.DISK, lease.leaseContiguous(SEGMENT_BYTES + 1).segment().tier());
      assertFalse(made.reached(2, 100), "segments were made for what fits in none");
    }
  }

  @Test
  void aMediumThatIsFullLaterSendsLeasesToDiskIsCountedAndGoesOn() throws Exception {
    Failing space = new Failing();
    StoreConfig config = configWithDisk(4).fillTimeoutMs(60_000).build();
    try (SpillStore store = SpillStore.open(config, space::open);
        Lease lease = store.openLease(APP)) {
      space.full = true;
      lease.lease(SEGMENT_BYTES);
      List<Extent> over = lease.lease(SEGMENT_BYTES);
      assertEquals(Tier.DISK, over.get(0).segment().tier());
      assertEquals(1, store.stats().segmentFailures());
      assertEquals(1, store.stats().overflows());
      lease.release(over);
      lease.lease(BLOCK_BYTES);
      assertEquals(1, store.stats().segmentFailures(), "tried again at once");
    }
  }

  @Test
  void aSegmentWhoseMarksCannotBeWrittenIsMadeAgainOverNothingThatIsUsed() throws Exception {
    Random random = seeded("aSegmentWhoseMarksCannotBeWrittenIsMadeAgainOverNothingThatIsUsed");
    AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 1); // clocks overflow
    Failing space = new Failing();
    space.markFailuresLeft.set(1);
    Counting made = new Counting(2);
    StoreConfig config = configWithDisk(2).wholeAtStart(true).segmentListener(made).build();
    try (SpillStore store = SpillStore.open(config, space::open, nowNs::get);
        Lease lease = store.openLease(APP)) {
      Outputs.Content content = commit(lease, id(1), random, 300_000);
      assertEquals(1, store.stats().segmentFailures());
      nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(PoolGrowth.RETRY_PAUSE_MS));
      List<Extent> granted = new ArrayList<>(lease.lease(SEGMENT_BYTES));
      assertTrue(made.reached(2, 60_000), () -> "not whole: " + store.stats());
      while (store.stats().memory().usedBytes() < 2L * SEGMENT_BYTES) {
        granted.addAll(lease.lease(BLOCK_BYTES));
      }
      granted.addAll(store.find(id(1)).orElseThrow().extents());
      BlockSet all = new BlockSet(BLOCK_BYTES);
      for (Extent extent : granted) {
        assertTrue(all.isDisjoint(extent.range()), extent + " was granted twice");
        all.add(extent.range());
      }
      Outputs.check(store, id(1), content);
    }
  }

  @Test
  void afterAFailureNobodyWaitsAndTheNextTryIsLater() throws Exception {
    AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 1); // clocks overflow
    MemoryTier empty = new MemoryTier(config(3).build(), null, null, nowNs::get);
    PoolGrowth growth = new PoolGrowth(config(3).build(), empty, List.of(0, 1, 2), nowNs::get);
    assertTrue(growth.isWanted());
    growth.failed("no room");
    assertFalse(growth.mayCome());
    assertTrue(growth.reason().contains("no room"));
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(PoolGrowth.RETRY_PAUSE_MS));
    assertFalse(growth.isWanted(), "nobody has asked");
    growth.wentWithout();
    assertTrue(growth.isWanted());
    growth.failed("no room");
    growth.wentWithout();
    assertFalse(growth.isWanted(), "too early");
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(PoolGrowth.RETRY_PAUSE_MS));
    assertTrue(growth.isWanted());
    assertEquals(0, growth.nextId());
    growth.made();
    assertTrue(growth.mayCome());
    assertEquals("", growth.reason());
    assertEquals(2, growth.failures());
  }

  /** Counts the segments of the memory tier. */
  private static final class Counting implements SegmentListener {
    private final List<CountDownLatch> made = new ArrayList<>();
    private final AtomicInteger count = new AtomicInteger();

    Counting(int most) {
      for (int i = 0; i <= most; i++) {
        made.add(new CountDownLatch(1));
      }
    }

    /** Whether there were so many of them in time. */
    boolean reached(int segments, long timeoutMs) throws InterruptedException {
      return made.get(segments).await(timeoutMs, TimeUnit.MILLISECONDS);
    }

    @Override
    public void segmentAdded(SegmentHandle segment) {
      if (segment.info().tier() == Tier.MEMORY) {
        made.get(count.incrementAndGet()).countDown();
      }
    }

    @Override
    public void segmentRemoved(SegmentHandle segment) {}
  }

  /** A place that becomes full, or has no room for marks. */
  private final class Failing {
    private final AtomicInteger markFailuresLeft = new AtomicInteger();
    private volatile boolean full;

    PoolSpace open(StoreConfig config) throws IOException {
      return new ForwardedSpace(place.open(config)) {
        @Override
        public MetaArea leaseMarks() throws IOException {
          return new FailingArea(super.leaseMarks(), markFailuresLeft);
        }

        @Override
        public SegmentHandle create(int segmentId, BooleanSupplier stopped) throws IOException {
          if (full && segmentId > 0) {
            throw new IOException("no space left on device");
          }
          return super.create(segmentId, stopped);
        }
      };
    }
  }

  /** Fails to set bytes as often as it is told to. */
  private record FailingArea(MetaArea area, AtomicInteger failuresLeft) implements MetaArea {
    @Override
    public void read(long offsetBytes, byte[] destination) throws IOException {
      area.read(offsetBytes, destination);
    }

    @Override
    public void fill(long offsetBytes, int lengthBytes, byte value) throws IOException {
      if (failuresLeft.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new IOException("no space left on device");
      }
      area.fill(offsetBytes, lengthBytes, value);
    }

    @Override
    public void writeLong(long offsetBytes, long value) throws IOException {
      area.writeLong(offsetBytes, value);
    }

    @Override
    public void close() throws IOException {
      area.close();
    }
  }
}
