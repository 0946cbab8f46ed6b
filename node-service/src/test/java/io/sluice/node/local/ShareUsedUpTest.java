package io.sluice.node.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.memory.Borrower;
import io.sluice.node.testing.SeenFromElsewhere;
import io.sluice.node.testing.TestPool;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Timeouts;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.DiskShareException;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.StoreConfig;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Maps of an application that has its share of the disk tier are left to the stock collector. */
class ShareUsedUpTest extends LocalServerTestBase {
  private static final long DISK_BYTES = 8L << 20;

  @Override
  StoreConfig.Builder pool() {
    return TestPool.memory(directory, SEGMENTS)
        .disk(List.of(directory.resolve("disk")), DISK_BYTES, 0);
  }

  private LocalClient connect(String applicationId, Borrower borrower) throws IOException {
    Owner service = SeenFromElsewhere.owner(handout());
    return LocalClient.connect(
        socket(), service, borrower, applicationId, SECRET, Timeouts.all(TIMEOUT_MS));
  }

  @Test
  void aMapThatWouldHaveNoRoomIsTurnedAwayWhenItBegins() throws IOException {
    Borrower map = Borrower.map("attempt_1", 1 << 20);
    connect(APP, map).close();
    try (Lease lease = store.openLease(APP)) {
      assertThrows(DiskShareException.class, () -> lease.leaseDisk(DISK_BYTES));
    }
    RemoteError e = assertThrows(RemoteError.class, () -> connect(APP, map));
    assertEquals(RemoteError.Code.REFUSED, e.code());
    assertEquals(1, refusals.counts().get(RefusalKind.SHARE_USED_UP));
    connect(APP, Borrower.PROCESS).close();
    connect("application_1_0002", map).close();
  }
}
