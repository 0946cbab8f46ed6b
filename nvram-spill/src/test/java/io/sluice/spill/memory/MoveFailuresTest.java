package io.sluice.spill.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.Await;
import io.sluice.spill.ledger.GrantTerms;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SegmentHandle;
import io.sluice.spill.store.SegmentHandle.SegmentListener;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.testing.TestOutput;
import io.sluice.spill.testing.TestPool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Outputs that cannot leave memory keep no others there; by a clock of the test. */
@Timeout(300)
class MoveFailuresTest {
  private static final String APP = "application_1";
  private static final int SEGMENTS = 2;
  private static final long CAPACITY_BYTES = (long) SEGMENTS * TestPool.SEGMENT_BYTES;
  private static final int LARGE_BYTES = 300_000;
  private static final int SMALL_BYTES = 60_000;
  private static final int LARGE_ONES = 4;
  private static final int SMALL_ONES = 10;

  @TempDir private Path directory;
  private final AtomicLong clockNs = new AtomicLong();
  private final AtomicBoolean threads = new AtomicBoolean(true);
  private final ThreadPoolExecutor executor =
      new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(), this::create);
  private long failFromBytes = Long.MAX_VALUE;
  private MemoryManager keeper;
  private SpillStore store;

  private Thread create(Runnable body) {
    if (!threads.get()) {
      throw new OutOfMemoryError("unable to create native thread");
    }
    return new Thread(body);
  }

  /** Outputs of two lengths; the memory has little left. */
  private void open(long diskBytes) throws IOException {
    open(diskBytes, config -> {});
  }

  private void open(long diskBytes, Consumer<StoreConfig.Builder> more) throws IOException {
    keeper = new MemoryManager(GrantTerms.DEFAULT, CAPACITY_BYTES, clockNs::get);
    StoreConfig.Builder config =
        TestPool.memory(directory, SEGMENTS)
            .disk(List.of(directory.resolve("disk")), diskBytes, 0)
            .memoryKeeper(keeper)
            .segmentListener(
                new SegmentListener() {
                  @Override
                  public void segmentAdded(SegmentHandle segment) {
                    boolean onDisk = segment.info().tier() == Tier.DISK;
                    if (onDisk && segment.lengthBytes() >= failFromBytes) {
                      throw new IllegalStateException("on purpose");
                    }
                  }

                  @Override
                  public void segmentRemoved(SegmentHandle segment) {}
                });
    more.accept(config);
    store = SpillStore.open(config.build());
    for (int i = 0; i < LARGE_ONES + SMALL_ONES; i++) {
      try (Lease lease = store.openLease(APP)) {
        int lengthBytes = i < LARGE_ONES ? LARGE_BYTES : SMALL_BYTES;
        TestOutput.single(new Random(i), "output_" + i, lengthBytes).commit(APP, lease);
      }
    }
    keeper.moveOutputsOf(store, executor);
  }

  @AfterEach
  void close() throws IOException {
    keeper.close();
    store.close();
    executor.shutdown();
  }

  /** What is asked for needs moves; the clock does not go on meanwhile. */
  private void ask() throws IOException {
    try (Lease lease = store.openLease("application_2")) {
      lease.lease(keeper.snapshot().ledger().freeBytes() + 1);
    }
  }

  private void pass(long ms) {
    clockNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
  }

  private void awaitMoves() {
    Await.until("moves have ended", () -> executor.getActiveCount() == 0 && queueIsEmpty());
  }

  private boolean queueIsEmpty() {
    return executor.getQueue().isEmpty();
  }

  @Test
  void someThatFailKeepNoOthersInMemory() throws Exception {
    failFromBytes = LARGE_BYTES;
    open(0);
    for (int round = 0; round < 3 && keeper.snapshot().movedOutputs() == 0; round++) {
      ask();
      awaitMoves();
      pass(2_000);
    }
    assertTrue(keeper.snapshot().moveFailures() >= 3, keeper.snapshot().toString());
    assertTrue(keeper.snapshot().movedOutputs() > 0, keeper.snapshot().toString());
  }

  @Test
  void oneThatTheDiskHasNoRoomForKeepsNoSmallerOnesInMemory() throws Exception {
    open(LARGE_BYTES);
    ask();
    awaitMoves();
    assertTrue(keeper.snapshot().movedOutputs() > 0, keeper.snapshot().toString());
  }

  /** There is room for others: their outputs go on moving. */
  @Test
  void aUserWhoHoldsTooMuchOnDiskKeepsNoOthersInMemory() throws Exception {
    long tierBytes = 20L * LARGE_BYTES;
    open(tierBytes, StoreConfig.Builder::shared);
    try (Lease anothers = store.openLease("application_1_0002", new Owner(4_242));
        Lease much = store.openLease(APP)) {
      much.leaseDisk(tierBytes * 7 / 8 - 3 * much.info().blockBytes()); // before outputs are there
      anothers.lease(1); // for whom the rest is kept, and outputs are to leave memory
      ask();
      awaitMoves();
    }
    assertEquals(0, keeper.snapshot().movedOutputs(), keeper.snapshot().toString());
    pass(2_000); // and not so long as nothing is moved where the disk tier is full
    ask();
    awaitMoves();
    assertTrue(keeper.snapshot().movedOutputs() > 0, keeper.snapshot().toString());
  }

  @Test
  void aMoveWithoutAThreadIsMadeLater() throws Exception {
    open(0);
    threads.set(false);
    ask(); // and goes to disk
    assertEquals(1, keeper.snapshot().moveFailures());
    threads.set(true);
    ask(); // nobody waits for moves for a while
    assertEquals(0, keeper.snapshot().movedOutputs());
    pass(OutputMover.FULL_PAUSE_MS);
    ask();
    assertTrue(keeper.snapshot().movedOutputs() > 0, keeper.snapshot().toString());
  }

  /** Others wait for the lock meanwhile. */
  @Test
  void aLongAskIsMadeOfFewSteps() throws Exception {
    open(0);
    AtomicLong looks = new AtomicLong();
    long largeBytes = 1L << 40;
    try (MemoryManager large =
            new MemoryManager(GrantTerms.DEFAULT, largeBytes, looks::incrementAndGet);
        Lease lease = store.openLease(APP)) {
      assertTrue(large.ask(lease, largeBytes, false, false, 0) > largeBytes / 2);
      assertTrue(looks.get() < 1_000, looks + " looks at the clock");
    }
  }
}
