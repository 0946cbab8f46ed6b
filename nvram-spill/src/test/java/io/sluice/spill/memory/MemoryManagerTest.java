package io.sluice.spill.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.spill.disk.IoClass;
import io.sluice.spill.ledger.GrantTerms;
import io.sluice.spill.ledger.MemoryKind;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SegmentHandle;
import io.sluice.spill.store.SegmentHandle.SegmentListener;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.testing.TestOutput;
import io.sluice.spill.testing.TestPool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Asks that wait for moves which do not get on, and how they end. */
@Timeout(300)
class MemoryManagerTest {
  private static final String APP = "application_1";
  private static final String OTHER = "application_2";
  private static final int SEGMENTS = 2;
  private static final int OUTPUT_BYTES = 1_500_000;
  private static final int SECOND_BYTES = 400_000; // so that less than an eighth is free

  @TempDir private Path directory;
  private LeakCheck leaks;
  private final CountDownLatch moveGoesOn = new CountDownLatch(1);
  private final AtomicInteger goesOnFirst = new AtomicInteger();
  private final CountDownLatch moveHangs = new CountDownLatch(1);
  private MemoryManager keeper;
  private SpillStore store;

  /** The memory is full of another application's output, which hangs when it is moved. */
  private void open(GrantTerms terms) throws IOException {
    open(terms, SEGMENTS, OUTPUT_BYTES);
  }

  private void open(GrantTerms terms, int segments, int outputBytes) throws IOException {
    keeper = new MemoryManager(terms, (long) segments * TestPool.SEGMENT_BYTES);
    store =
        SpillStore.open(
            TestPool.withDisk(directory, segments)
                .memoryKeeper(keeper)
                .segmentListener(
                    new SegmentListener() {
                      @Override
                      public void segmentAdded(SegmentHandle segment) {
                        if (segment.info().tier() == Tier.DISK
                            && goesOnFirst.getAndDecrement() <= 0) {
                          moveHangs.countDown();
                          awaitGoingOn();
                        }
                      }

                      @Override
                      public void segmentRemoved(SegmentHandle segment) {}
                    })
                .build());
    keeper.moveOutputsOf(store);
    try (Lease lease = store.openLease(OTHER)) {
      TestOutput.single(new Random(1), "output", outputBytes).commit(OTHER, lease);
    }
  }

  private void awaitGoingOn() {
    try {
      assertTrue(moveGoesOn.await(120, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @BeforeEach
  void openBooks() {
    leaks = new LeakCheck();
  }

  @AfterEach
  void close() throws Exception {
    moveGoesOn.countDown();
    keeper.close();
    store.close();
    leaks.check();
  }

  private CompletableFuture<List<Extent>> leaseLater(Lease lease) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return lease.lease(OUTPUT_BYTES);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  private static void assertOn(Tier tier, List<Extent> extents) {
    extents.forEach(extent -> assertEquals(tier, extent.segment().tier()));
  }

  @Test
  void whoHasWaitedLongEnoughWritesToDisk() throws Exception {
    open(new GrantTerms(32 << 20, 200, 10_000, 1_000));
    try (Lease lease = store.openLease(APP)) {
      long wholeBytes = keeper.snapshot().ledger().freeBytes();
      List<Extent> extents = lease.lease(OUTPUT_BYTES);
      long inMemoryBytes =
          extents.stream()
              .filter(extent -> extent.segment().tier() == Tier.MEMORY)
              .mapToLong(Extent::lengthBytes)
              .sum();
      assertTrue(inMemoryBytes <= wholeBytes, "more than was free");
      assertEquals(inMemoryBytes, keeper.snapshot().ledger().heldBytes().get(MemoryKind.WRITING));
      assertTrue(keeper.snapshot().waits().count() > 0);
      assertTrue(keeper.snapshot().ledger().refusals().get(MemoryKind.WRITING) > 0);
      assertEquals(0, keeper.snapshot().movedOutputs());
    }
    assertEquals(0, keeper.snapshot().ledger().heldBytes().get(MemoryKind.WRITING));
  }

  @Test
  void whoWaitsHasMemoryWhenTheOutputHasLeft() throws Exception {
    open(new GrantTerms(32 << 20, 20_000, 10_000, 1_000));
    try (Lease lease = store.openLease(APP)) {
      CompletableFuture<List<Extent>> waiting = leaseLater(lease);
      moveHangs.await();
      assertEquals(0, keeper.snapshot().movedOutputs());
      moveGoesOn.countDown();
      assertOn(Tier.MEMORY, waiting.get());
      assertEquals(1, keeper.snapshot().movedOutputs());
      assertEquals(Set.of(IoClass.WRITE_SEND), writtenAs());
    }
  }

  /** It has what the first part of it leaves, and does not wait for the rest. */
  @Test
  void whoWaitsHasMemoryWhenAPartOfALargeOutputHasLeft() throws Exception {
    int segments = (int) (3 * SpillStore.PART_BYTES / TestPool.SEGMENT_BYTES);
    open(new GrantTerms(32 << 20, 20_000, 10_000, 1_000), segments, 4 * TestPool.SEGMENT_BYTES);
    try (Lease other = store.openLease(OTHER)) {
      int largeBytes = (segments - 4) * TestPool.SEGMENT_BYTES - SECOND_BYTES;
      TestOutput.single(new Random(2), "large", largeBytes).commit(OTHER, other);
    }
    assertEquals(0, store.stats().disk().usedBytes());
    goesOnFirst.set(1);
    try (Lease lease = store.openLease(APP)) {
      assertOn(Tier.MEMORY, lease.lease(2 * OUTPUT_BYTES));
      assertEquals(1, keeper.snapshot().movedOutputs());
      long movedBytes = keeper.snapshot().movedBytes();
      assertTrue(movedBytes >= SpillStore.PART_BYTES, "moved " + movedBytes);
      long leftBytes = keeper.snapshot().ledger().heldBytes().get(MemoryKind.SEND);
      assertTrue(leftBytes >= SpillStore.PART_BYTES - 2L * TestPool.SEGMENT_BYTES, "" + leftBytes);
    }
  }

  private Set<IoClass> writtenAs() {
    Set<IoClass> classes = new HashSet<>(store.deviceStats().get(0).classes().keySet());
    classes.remove(IoClass.READ_SEND); // what was moved is loaded
    return classes;
  }

  /** For the claim of a map that has asked for nothing yet. */
  @Test
  void whatLeavesBeforeAnybodyWaitsGoesBehindWhatIsAwaited() throws Exception {
    open(GrantTerms.DEFAULT);
    moveGoesOn.countDown();
    try (Lease other = store.openLease(OTHER)) {
      TestOutput.single(new Random(2), "second", SECOND_BYTES).commit(OTHER, other);
    }
    try (Lease map = store.openLease(APP)) {
      keeper.introduce(map, Borrower.map("map", 0));
      keeper.freed(OTHER, 0); // something happens
      Await.until("an output has left", () -> keeper.snapshot().movedOutputs() > 0);
      assertEquals(Set.of(IoClass.WRITE_AHEAD), writtenAs());
    }
  }

  @Test
  void anInterruptEndsNoWaitAndStays() throws Exception {
    open(new GrantTerms(32 << 20, 20_000, 10_000, 1_000));
    try (Lease lease = store.openLease(APP)) {
      CompletableFuture<Boolean> interrupted =
          CompletableFuture.supplyAsync(
              () -> {
                Thread.currentThread().interrupt();
                try {
                  assertOn(Tier.MEMORY, lease.lease(OUTPUT_BYTES));
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
                return Thread.interrupted();
              });
      moveHangs.await();
      moveGoesOn.countDown();
      assertTrue(interrupted.get());
    }
  }

  @Test
  void aServiceThatEndsLetsNobodyWait() throws Exception {
    open(new GrantTerms(32 << 20, 50_000, 50_000, 1_000));
    Lease lease = store.openLease(APP);
    CompletableFuture<List<Extent>> waiting = leaseLater(lease);
    moveHangs.await();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(keeper::close);
    waiting.get();
    moveGoesOn.countDown();
    closing.get();
  }

  @Test
  void aTaskThatEndsWaitsForNothing() throws Exception {
    open(new GrantTerms(32 << 20, 50_000, 50_000, 1_000));
    Lease lease = store.openLease(APP);
    CompletableFuture<List<Extent>> waiting = leaseLater(lease);
    moveHangs.await();
    Await.until("it waits", () -> keeper.snapshot().ledger().queued() == 1);
    lease.close();
    Await.until("its ask has ended", waiting::isCompletedExceptionally);
    assertEquals(0, keeper.snapshot().ledger().queued());
    assertEquals(0, keeper.snapshot().holdings().size());
    moveGoesOn.countDown();
  }
}
