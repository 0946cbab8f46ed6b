package io.sluice.spill.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.Await;
import io.sluice.spill.ledger.GrantTerms;
import io.sluice.spill.ledger.MemoryKind;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.MemorySource.MemoryUse;
import io.sluice.spill.store.SegmentHandle;
import io.sluice.spill.store.SegmentHandle.SegmentListener;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.testing.TestOutput;
import io.sluice.spill.testing.TestPool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Asks of several steps, of which one waits for a move that hangs, by a clock of the test. */
@Timeout(300)
class AsksTest {
  private static final String APP = "application_1";
  private static final int SEGMENTS = 2;
  private static final long CAPACITY_BYTES = (long) SEGMENTS * TestPool.SEGMENT_BYTES;
  private static final long STEP_BYTES = CAPACITY_BYTES / 32;
  private static final long REVOKE_MS = 10_000;
  private static final long VERY_LONG_MS = 600_000;

  @TempDir private Path directory;
  private final CountDownLatch moveGoesOn = new CountDownLatch(1);
  private final AtomicLong clockNs = new AtomicLong();
  private final AtomicReference<Runnable> underTheLock = new AtomicReference<>(() -> {});
  private MemoryManager keeper;
  private SpillStore store;
  private Lease filler;
  private Lease asker;

  @BeforeEach
  void fill() throws IOException {
    GrantTerms terms = new GrantTerms(32 << 20, 5_000, REVOKE_MS, 1_000);
    keeper = new MemoryManager(terms, CAPACITY_BYTES, this::now);
    store =
        SpillStore.open(
            TestPool.withDisk(directory, SEGMENTS)
                .memoryKeeper(keeper)
                .segmentListener(new Hanging())
                .build());
    try (Lease lease = store.openLease(APP)) {
      TestOutput.single(new Random(1), "output", 1_500_000).commit(APP, lease);
    }
    filler = store.openLease("application_2");
    asker = store.openLease("application_3");
    assertTrue(keeper.ask(filler, CAPACITY_BYTES, false, true, 0) > 3 * STEP_BYTES);
    keeper.moveOutputsOf(store);
  }

  private long now() {
    underTheLock.getAndSet(() -> {}).run();
    return clockNs.get();
  }

  /** Moves get as far as to their new place. */
  private final class Hanging implements SegmentListener {
    @Override
    public void segmentAdded(SegmentHandle segment) {
      try {
        assertTrue(segment.info().tier() == Tier.MEMORY || moveGoesOn.await(120, TimeUnit.SECONDS));
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void segmentRemoved(SegmentHandle segment) {}
  }

  @AfterEach
  void close() throws IOException {
    moveGoesOn.countDown();
    keeper.close();
    store.close();
  }

  private CompletableFuture<Long> askLater(int steps, boolean last) {
    return CompletableFuture.supplyAsync(
        () -> keeper.ask(asker, steps * STEP_BYTES, false, last, VERY_LONG_MS));
  }

  private void awaitStep() {
    Await.until("a step waits", () -> keeper.snapshot().ledger().queued() == 1);
  }

  /** What its first step was granted is free again before its second step is asked for. */
  @Test
  void aLeaseThatIsClosedBetweenTwoStepsHoldsNothing() throws Exception {
    CompletableFuture<Long> asking = askLater(2, false);
    awaitStep();
    underTheLock.set(
        () -> {
          keeper.gaveBack(filler, MemoryUse.WRITING, STEP_BYTES);
          keeper.closed(asker);
        });
    keeper.snapshot();
    long grantedBytes = asking.get();
    if (grantedBytes > 0) {
      keeper.gaveBack(
          asker,
          MemoryUse.WRITING,
          grantedBytes); // as the store does, which finds the lease closed
    }
    keeper.closed(asker);
    keeper.closed(filler);
    assertEquals(0, keeper.snapshot().ledger().heldBytes().get(MemoryKind.WRITING));
  }

  @Test
  void theStepsOfALastResortHaveOneDeadlineTogether() throws Exception {
    CompletableFuture<Long> asking = askLater(8, true);
    awaitStep();
    clockNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(REVOKE_MS * 6 / 10));
    keeper.gaveBack(filler, MemoryUse.WRITING, STEP_BYTES);
    awaitStep();
    clockNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(REVOKE_MS * 4 / 10));
    Await.until("no step waits any more", asking::isDone);
    assertEquals(STEP_BYTES, asking.get());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whoHasLittleTimeLeftWaitsNoLonger(boolean contiguous) throws Exception {
    CompletableFuture<Long> asking =
        CompletableFuture.supplyAsync(
            () -> keeper.ask(asker, STEP_BYTES, contiguous, true, REVOKE_MS / 2));
    awaitStep();
    clockNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(REVOKE_MS / 2));
    Await.until("it does not wait any more", asking::isDone);
    assertEquals(0, asking.get());
  }
}
