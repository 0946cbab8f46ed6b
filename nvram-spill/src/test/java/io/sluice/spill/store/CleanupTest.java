package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.SegmentFile;
import io.sluice.spill.store.MemorySource.MemoryUse;
import io.sluice.spill.store.SegmentHandle.SegmentListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What fails while something is given back keeps nothing else from being given back. */
class CleanupTest extends PoolTestBase {
  @Test
  void oneOutputThatCannotBeFreedKeepsNoOther() throws Exception {
    Random random = seeded("oneOutputThatCannotBeFreedKeepsNoOther");
    FailingMedium medium = new FailingMedium();
    try (SpillStore store = SpillStore.open(configWithDisk(2).medium(medium).build());
        Lease lease = store.openLease(APP)) {
      for (int i = 0; i < 5; i++) {
        commit(lease, id(i), random, 300_000);
      }
      medium.failuresLeft = 1;
      assertThrows(IOException.class, () -> store.freeApplication(APP));
      assertEquals(1, store.stats().outputs());
      store.freeApplication(APP);
      assertEquals(0, store.stats().outputs());
      assertAllFree(store);
    }
  }

  @Test
  void oneOutputOfAPrefixThatCannotBeFreedKeepsNoOther() throws Exception {
    Random random = seeded("oneOutputOfAPrefixThatCannotBeFreedKeepsNoOther");
    FailingMedium medium = new FailingMedium();
    try (SpillStore store = SpillStore.open(config(2).medium(medium).build());
        Lease lease = store.openLease(APP)) {
      for (int i = 0; i < 5; i++) {
        commit(lease, id(i), random, 100_000);
      }
      medium.failuresLeft = 2;
      assertThrows(IOException.class, () -> store.freeOutputs(APP, "attempt_1_0001_m_"));
      assertEquals(2, store.stats().outputs());
      store.freeOutputs(APP, "attempt_1_0001_m_");
      assertAllFree(store);
    }
  }

  @Test
  @Timeout(300)
  void oneSegmentThatCannotGoKeepsNoOtherAndGoesLater() throws Exception {
    Random random = seeded("oneSegmentThatCannotGoKeepsNoOtherAndGoesLater");
    List<Integer> gone = Collections.synchronizedList(new ArrayList<>());
    Semaphore removals = new Semaphore(0);
    AtomicLong refusalsLeft = new AtomicLong();
    SegmentListener listener =
        onRemoval(
            segment -> {
              if (refusalsLeft.getAndDecrement() > 0) {
                throw new IllegalStateException("a copy has not ended");
              }
              gone.add(segment.info().segmentId());
              removals.release();
            });
    AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 1); // clocks overflow
    try (SpillStore store = SpillStore.open(configWithDisk(0).build());
        Lease lease = store.openLease(APP);
        AnnouncedSegments announced =
            new AnnouncedSegments(listener, (segment, cause) -> {}, nowNs::get)) {
      for (int i = 0; i < 3; i++) {
        commit(lease, id(i), random, 10_000);
      }
      List<DiskSegment> segments =
          store.segments().stream()
              .map(info -> (DiskSegment) store.segment(info.segmentId()).orElseThrow())
              .toList();
      announced.announce(segments);
      refusalsLeft.set(1);
      announced.retire(segments);
      assertEquals(segments.size() - 1, gone.size());
      announced.retire(List.of());
      assertEquals(segments.size() - 1, gone.size(), "tried again at once");
      nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(AnnouncedSegments.RETRY_PAUSE_MS));
      announced.retire(List.of());
      removals.acquire(segments.size());
      assertEquals(segments.size(), gone.size());
      assertTrue(gone.contains(segments.get(0).info().segmentId()));
    }
  }

  @Test
  @Timeout(300)
  void whoeverFreesManyWaitsForOneThatTakesItsTime() throws Exception {
    Random random = seeded("whoeverFreesManyWaitsForOneThatTakesItsTime");
    AtomicLong nowNs = new AtomicLong();
    Thread caller = Thread.currentThread();
    List<Thread> removers = Collections.synchronizedList(new ArrayList<>());
    Semaphore removals = new Semaphore(0);
    SegmentListener slow =
        onRemoval(
            segment -> {
              nowNs.addAndGet(TimeUnit.SECONDS.toNanos(11));
              removers.add(Thread.currentThread());
              removals.release();
            });
    StoreConfig config = configWithDisk(0).segmentListener(slow).build();
    try (SpillStore store = SpillStore.open(config, place::open, nowNs::get);
        Lease lease = store.openLease(APP)) {
      for (int i = 0; i < 5; i++) {
        commit(lease, id(i), random, 10_000);
      }
      int files = store.segments().size();
      store.freeApplication(APP);
      removals.acquire(files);
      assertEquals(files, removers.size());
      assertEquals(1, removers.stream().filter(caller::equals).count());
    }
    assertEquals(0, OpenFiles.below(disk()));
  }

  @Test
  void whatWasGivenBackBeforeAFailureGoes() throws Exception {
    try (SpillStore store = SpillStore.open(configWithDisk(0).build());
        Lease lease = store.openLease(APP)) {
      int openBefore = OpenFiles.below(disk());
      Extent extent = lease.lease(BLOCK_BYTES).get(0);
      assertThrows(IllegalArgumentException.class, () -> lease.release(List.of(extent, extent)));
      assertTrue(Files.notExists(extent.segment().path()), "of which nothing is left");
      assertEquals(openBefore, OpenFiles.below(disk()));
    }
  }

  /** A mark that stands and may be believed keeps its blocks. */
  @Test
  void whatAMarkThatStandsClaimsIsNotGivenBack() throws Exception {
    Random random = seeded("whatAMarkThatStandsClaimsIsNotGivenBack");
    FailingArea generation = new FailingArea();
    try (SpillStore store =
        SpillStore.open(configWithDisk(1).build(), config -> counting(config, generation))) {
      straddle(store, random).file().close();
      generation.failAfter(0); // no new epoch can begin
      assertThrows(IOException.class, () -> store.freeApplication(APP));
      try (Lease other = store.openLease("application_1_0002")) {
        assertEquals(Optional.empty(), other.leaseMemory(MemoryUse.WRITING, BLOCK_BYTES));
      }
    }
  }

  private PoolSpace counting(StoreConfig config, MetaArea generation) throws IOException {
    return new ForwardedSpace(place.open(config)) {
      @Override
      public MetaArea generation() {
        return generation;
      }
    };
  }

  @Test
  void whatFailsAtADiskHidesNothingThatFailedBefore() throws Exception {
    Random random = seeded("whatFailsAtADiskHidesNothingThatFailedBefore");
    FailingMedium medium = new FailingMedium();
    FailingArea generation = new FailingArea();
    StoreConfig failing = configWithDisk(1).medium(medium).build();
    try (SpillStore store = SpillStore.open(failing, config -> counting(config, generation))) {
      try (Lease lease = store.openLease(APP)) {
        commit(lease, id(2), random, BLOCK_BYTES);
      }
      straddle(store, random).file().close();
      medium.failuresLeft = 1;
      generation.failAfter(0);
      Throwable first =
          assertThrows(IOException.class, () -> store.freeApplication(APP)).getCause();
      assertInstanceOf(IllegalStateException.class, first);
      assertEquals(1, first.getSuppressed().length);
    }
  }

  @Test
  void whateverAMarkCannotBeClearedForItsBlocksAreGivenBack() throws Exception {
    Random random = seeded("whateverAMarkCannotBeClearedForItsBlocksAreGivenBack");
    FailingMedium medium = new FailingMedium();
    try (SpillStore store = SpillStore.open(configWithDisk(1).medium(medium).build())) {
      straddle(store, random);
      medium.saysNothing = true;
      store.freeApplication(APP);
      medium.saysNothing = false;
      assertEquals(1, store.stats().failedDirectories(), "no mark there is believed");
      assertAllFree(store);
    }
  }

  @Test
  @Timeout(300)
  void aMarkThatStandsWhenTheStoreStopsIsTold() throws Exception {
    Random random = seeded("aMarkThatStandsWhenTheStoreStopsIsTold");
    try (SpillStore store = SpillStore.open(configWithDisk(1).diskTimeoutMs(120_000).build())) {
      SegmentHandle tail = straddle(store, random);
      CompletableFuture<Void> freed;
      synchronized (tail.file()) {
        freed =
            CompletableFuture.runAsync(
                () -> {
                  try {
                    store.freeApplication(APP);
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
        while (store.find(id(1)).isPresent()) {
          Thread.onSpinWait();
        }
        store.quiesce();
        tail.file().close();
      }
      ExecutionException told =
          assertThrows(ExecutionException.class, () -> freed.get(2, TimeUnit.MINUTES));
      assertInstanceOf(UncheckedIOException.class, told.getCause());
    }
  }

  /** Fails as often as it is told to. */
  private static final class FailingMedium implements Medium {
    private final Medium medium = new PlainMedium();
    private int failuresLeft;
    private boolean saysNothing;

    @Override
    public String name() {
      return "failing";
    }

    @Override
    public boolean isPersistent() {
      if (saysNothing) {
        throw new IllegalStateException("the medium fails");
      }
      return medium.isPersistent();
    }

    @Override
    public boolean isStoredDirectly() {
      return medium.isStoredDirectly();
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
      if (failuresLeft > 0) {
        failuresLeft--;
        throw new IllegalStateException("the medium fails");
      }
      medium.persist(mapping, offsetBytes, lengthBytes);
    }

    @Override
    public void write(Mapping mapping, int offsetBytes, ByteBuffer source) {
      medium.write(mapping, offsetBytes, source);
    }
  }
}
