package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.socket.RevocationListener.RevocationConnection;
import io.sluice.node.testing.SeenFromElsewhere;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.testing.Await;
import io.sluice.spill.ledger.GrantTerms;
import io.sluice.spill.ledger.MemoryKind;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.memory.Revocations.RevocationNotice;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.MemorySource.MemoryUse;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.store.StoreFullException;
import io.sluice.spill.testing.TestOutput;
import io.sluice.spill.testing.TestPool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What reduces keep in a node's pool: it is the first to be wanted back. */
class ReceiveMemoryTest extends SocketServerTestBase {
  private static final String OTHER = "application_2_0001";
  private static final int STEP_BYTES = 128 << 10;
  private static final long NOBODY_IS_LATE_MS = 600_000;

  @Override
  GrantTerms terms() {
    return new GrantTerms(1 << 20, 100, NOBODY_IS_LATE_MS, NOBODY_IS_LATE_MS);
  }

  @Override
  StoreConfig.Builder pool() {
    return TestPool.withDisk(directory, SEGMENTS).wholeAtStart(true);
  }

  @BeforeEach
  void awaitPool() {
    long wholeBytes = (long) SEGMENTS * TestPool.SEGMENT_BYTES;
    Await.until("it is there", () -> store.stats().memory().createdBytes() == wholeBytes);
    memory.moveOutputsOf(store);
  }

  private SocketClient task(Borrower borrower, String application) throws IOException {
    return SocketClient.connect(
        socket(),
        SeenFromElsewhere.owner(access()),
        borrower,
        application,
        SECRET,
        Timeouts.all(TIMEOUT_MS));
  }

  private static Optional<Extent> lease(SocketClient task, MemoryUse use) throws IOException {
    return task.leaseMemory(use, STEP_BYTES);
  }

  private static List<Extent> leaseAll(SocketClient task) throws IOException {
    List<Extent> all = new ArrayList<>();
    Optional<Extent> next = lease(task, MemoryUse.RECEIVE);
    while (next.isPresent()) {
      all.add(next.get());
      next = lease(task, MemoryUse.RECEIVE);
    }
    return all;
  }

  @Test
  void whatWasReceivedIsWantedBackForSorting() throws IOException {
    try (SocketClient reduce = task(Borrower.reduce("reduce"), APP);
        RevocationConnection listening = reduce.listen()) {
      List<Extent> all = leaseAll(reduce); // before a map comes, for whose claim some is kept
      long heldBytes = (long) all.size() * STEP_BYTES;
      assertTrue(all.size() > 2);
      assertEquals(heldBytes, memory.snapshot().ledger().heldBytes().get(MemoryKind.RECEIVE));
      try (SocketClient map = task(Borrower.map("map", 0), OTHER)) {
        assertTrue(lease(map, MemoryUse.SORT).isEmpty());
        RevocationNotice notice = listening.await();
        assertTrue(notice.receiveBytes() < heldBytes, notice.toString());
        assertEquals(Long.MAX_VALUE, notice.sortBytes());
        reduce.release(all);
        assertTrue(lease(map, MemoryUse.SORT).isPresent());
        assertEquals(0, memory.snapshot().ledger().heldBytes().get(MemoryKind.RECEIVE));
      }
    }
    awaitNothingLeased();
  }

  @Test
  void nothingLeavesMemoryForWhatIsReceived() throws IOException {
    long capacityBytes = (long) SEGMENTS * TestPool.SEGMENT_BYTES;
    for (int i = 0; memory.snapshot().ledger().freeBytes() > capacityBytes / 4; i++) {
      try (SocketClient map = connect(OTHER)) {
        TestOutput.single(new Random(i), "output_" + i, 200_000).commit(OTHER, map);
      }
    }
    try (SocketClient reduce = task(Borrower.reduce("reduce"), APP)) {
      leaseAll(reduce);
      List<Extent> beside = reduce.leaseDisk(STEP_BYTES);
      assertEquals(Tier.DISK, beside.get(0).segment().tier());
      assertEquals(0, memory.snapshot().movedOutputs());
    }
    awaitNothingLeased();
  }

  @Test
  void aReduceThatEndsHoldsNothing() throws IOException {
    try (SocketClient reduce = task(Borrower.reduce("reduce"), APP)) {
      assertTrue(leaseAll(reduce).size() > 2);
    }
    awaitNothingLeased();
    Await.until("it holds nothing", () -> memory.snapshot().holdings().isEmpty());
  }

  @Test
  void whatTheDiskHasNoRoomForIsRefused() throws IOException {
    try (SocketClient reduce = task(Borrower.reduce("reduce"), APP)) {
      assertThrows(StoreFullException.class, () -> reduce.leaseDisk(1L << 60));
    }
  }

  /** Else it would keep what its node wants back. */
  @Test
  void whoFailsWhileItHearsIsToldThatItHearsNoMore() throws IOException {
    AtomicBoolean lost = new AtomicBoolean();
    try (SocketClient reduce = task(Borrower.reduce("reduce"), APP);
        RevocationListener listener =
            RevocationListener.start(
                reduce.listen(),
                notice -> {
                  throw new IllegalStateException("as a test wants it: " + notice);
                },
                () -> lost.set(true))) {
      leaseAll(reduce);
      try (SocketClient map = task(Borrower.map("map", 0), OTHER)) {
        assertTrue(lease(map, MemoryUse.SORT).isEmpty());
        Await.until("it hears nothing more", listener::hasEnded);
        assertTrue(lost.get());
      }
    }
    awaitNothingLeased();
  }

  /** The task goes on without: it borrows nothing, or stages on disk. */
  @Test
  void whereThereIsNoThreadToListenOnNoConnectionIsLeft() throws IOException {
    try (SocketClient reduce = task(Borrower.reduce("reduce"), APP)) {
      RevocationConnection connection = reduce.listen();
      assertThrows(
          IOException.class,
          () -> RevocationListener.start(connection, notice -> {}, () -> {}, NoThread::new));
      Await.until("its connection alone is left", () -> server.counters().open() == 1);
    }
    awaitNothingLeased();
  }

  /** One of which the system has no more. */
  private static final class NoThread extends Thread {
    NoThread(Runnable body) {
      super(body);
    }

    @Override
    public void start() {
      throw new OutOfMemoryError("unable to create native thread, as a test wants it");
    }
  }
}
