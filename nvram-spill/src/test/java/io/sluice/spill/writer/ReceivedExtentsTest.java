package io.sluice.spill.writer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.LeakCheck;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.MemoryArbiter;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a task has received where a node has no disk tier, and lends it memory or does not. */
@Timeout(300)
class ReceivedExtentsTest {
  private static final int SEGMENT_BYTES = 1 << 20;
  private static final int BLOCK_BYTES = 16 << 10;

  @TempDir private Path directory;
  private final LeakCheck leaks = new LeakCheck();
  private boolean lends;
  private int asks;
  private SpillStore store;
  private Lease lease;
  private ReceivedExtents received;

  @BeforeEach
  void open() throws IOException {
    store =
        SpillStore.open(
            StoreConfig.builder(directory.resolve("pool"), 2 * SEGMENT_BYTES)
                .geometry(SEGMENT_BYTES, BLOCK_BYTES)
                .wholeAtStart(true)
                .memoryKeeper(keeper())
                .build());
    lease = store.openLease("application_1");
    lease.release(lease.lease(2 * SEGMENT_BYTES)); // waits until all of it is there
    received = new ReceivedExtents(lease, () -> true);
  }

  /** Grants what must be granted, and lends as it is told. */
  private MemoryArbiter keeper() {
    return (MemoryArbiter)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {MemoryArbiter.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("askNow")) {
                asks++;
                return lends;
              }
              return method.invoke(MemoryArbiter.NONE, arguments);
            });
  }

  @AfterEach
  void close() throws Exception {
    lease.close();
    store.close();
    leaks.check();
  }

  @Test
  void whatIsGrantedAsTheLastResortIsCountedOnce() throws IOException {
    List<Extent> extents = received.lease(10 * BLOCK_BYTES);
    assertTrue(extents.stream().allMatch(extent -> extent.segment().tier() == Tier.MEMORY));
    assertEquals(10 * BLOCK_BYTES, received.heldBytes());
    received.release(extents);
    assertEquals(0, received.heldBytes());
  }

  /** Else it would have as much more than it may keep as it was ever granted that way. */
  @Test
  void whoIsToGiveBackBorrowsNothingAfterALastResort() throws IOException {
    received.release(received.lease(10 * BLOCK_BYTES));
    received.keepAtMost(0);
    lends = true;
    asks = 0;
    received.release(received.lease(BLOCK_BYTES));
    assertEquals(0, asks, "asked although all is wanted back");
  }
}
