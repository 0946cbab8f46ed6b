package io.sluice.node.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.memory.Borrower;
import io.sluice.node.testing.TestPool;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Timeouts;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.DiskShareException;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.store.StoreFullException;
import io.sluice.spill.writer.ReceivedExtents;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What tasks get of an application that has its share of the disk tier. */
class DiskShareServerTest extends LocalServerTestBase {
  private static final String TINY = "application_1_0002";
  private static final long DISK_BYTES = 8L << 20;
  private static final long STEP_BYTES = DISK_BYTES / 128;

  @Override
  StoreConfig.Builder pool() {
    return TestPool.memory(directory, SEGMENTS)
        .disk(List.of(directory.resolve("disk")), DISK_BYTES, 0);
  }

  private LocalClient connect(String applicationId, Borrower borrower) throws IOException {
    return connect(applicationId, borrower, Timeouts.all(TIMEOUT_MS));
  }

  private LocalClient connect(String applicationId, Borrower borrower, Timeouts timeouts)
      throws IOException {
    Owner own = Owner.ofThisProcess();
    return LocalClient.connect(socket(), own, borrower, applicationId, SECRET, timeouts);
  }

  /** Tasks that run go on, since they can go nowhere else; maps that begin can. */
  @Test
  void aJobThatNeedsNearlyAllOfTheDiskEndsBesideATinyOne() throws IOException {
    Borrower further = Borrower.map("map_2", 0);
    try (LocalClient tiny = connect(TINY, Borrower.map("tiny_1", 0));
        LocalClient map = connect(APP, Borrower.map("map_1", 0));
        LocalClient reduce = connect(APP, Borrower.reduce("reduce_1"))) {
      tiny.leaseDisk(1);
      while (store.stats().disk().leasedBytes() < DISK_BYTES / 100 * 95) {
        map.lease(STEP_BYTES);
      }
      assertThrows(StoreFullException.class, () -> reduce.leaseDisk(1));
      List<Extent> staged = new ReceivedExtents(reduce, () -> true).lease(1);
      assertEquals(Tier.DISK, staged.get(0).segment().tier());
      assertEquals(0, store.stats().refusals());
      assertTrue(store.stats().diskShareRefusals().get(Owner.ofThisProcess()) > 1);

      RemoteError e = assertThrows(RemoteError.class, () -> connect(APP, further));
      assertEquals(RemoteError.Code.BUSY, e.code());
      assertTrue(e.getMessage().contains("kept for applications"), e.getMessage());
      assertEquals(1, refusals.counts().get(RefusalKind.SHARE_USED_UP));
      connect(APP, further.staying()).close(); // its job may not fall back
      connect(APP, Borrower.reduce("reduce_2")).close();
      connect(APP, Borrower.PROCESS).close();
      connect(TINY, Borrower.map("tiny_2", 0)).close();
      tiny.leaseDisk(STEP_BYTES);

      store.freeApplication(TINY);
      connect(APP, further).close(); // it is alone
    }
  }

  /** What it has collected would be lost. */
  @Test
  void aMapThatHasBegunIsServedAgainAfterARestart() throws IOException {
    Borrower further = Borrower.map("map_2", 0);
    Timeouts once = new Timeouts(TIMEOUT_MS, 0, TIMEOUT_MS); // it does not ask a second time
    try (Lease tiny = store.openLease(TINY);
        Lease big = store.openLease(APP);
        LocalClient map = connect(APP, Borrower.map("map_1", 0), once)) {
      tiny.leaseDisk(1);
      server.close();
      server = startServer();
      assertThrows(DiskShareException.class, () -> big.leaseDisk(DISK_BYTES / 16 * 15));
      assertThrows(RemoteError.class, () -> connect(APP, further));
      assertEquals(1, map.lease(1).size());
    }
  }

  /** Nothing would be left to whoever comes, and no task of its own could be told to leave it. */
  @Test
  void aMapThatWouldHaveNoRoomIsTurnedAwayWhenItBegins() throws IOException {
    Borrower map = Borrower.map("map_1", 0);
    connect(APP, map).close();
    try (Lease lease = store.openLease(APP)) {
      assertThrows(DiskShareException.class, () -> lease.leaseDisk(DISK_BYTES));
      assertThrows(RemoteError.class, () -> connect(APP, map));
    }
    assertEquals(1, refusals.counts().get(RefusalKind.SHARE_USED_UP));
    connect("application_1_0003", map).close();
  }
}
