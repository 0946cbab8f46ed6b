package io.sluice.spill.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.spill.ledger.GrantTerms;
import io.sluice.spill.ledger.MemoryKind;
import io.sluice.spill.memory.Revocations.RevocationNotice;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.MemorySource.MemoryUse;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.testing.TestPool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who listens is woken at once: these would wait for longer than a test may take. */
@Timeout(300)
class NoticesTest {
  private static final long VERY_LONG_MS = 600_000;
  private static final long CHUNK_BYTES = 64 << 10;
  private static final long OWN_BYTES = 1 << 20;

  @TempDir private Path directory;
  private final LeakCheck leaks = new LeakCheck();
  private MemoryManager keeper;
  private SpillStore store;
  private Lease lender;
  private Revocations.Subscription listening;

  @BeforeEach
  void open() throws IOException {
    keeper = new MemoryManager(new GrantTerms(OWN_BYTES, 1, 1, 1), 2L * TestPool.SEGMENT_BYTES);
    keeper.lendToSort();
    store = SpillStore.open(TestPool.memory(directory, 2).memoryKeeper(keeper).build());
    lender = store.openLease("application_1");
    keeper.introduce(lender, Borrower.map("lender", OWN_BYTES));
    listening = keeper.subscribe(lender);
  }

  @AfterEach
  void close() throws Exception {
    listening.close();
    lender.close();
    keeper.close();
    store.close();
    leaks.check();
  }

  private CompletableFuture<Optional<RevocationNotice>> hear() {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return listening.await(0, VERY_LONG_MS);
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  void whoseMemoryIsWantedHearsOfIt() throws Exception {
    while (keeper.askNow(lender, MemoryUse.SORT, CHUNK_BYTES)) {}
    CompletableFuture<Optional<RevocationNotice>> heard = hear();
    try (Lease other = store.openLease("application_2")) {
      Await.until(
          "it was told",
          () -> {
            keeper.askNow(other, MemoryUse.SORT, CHUNK_BYTES);
            return heard.isDone();
          });
    }
    RevocationNotice notice = heard.get().orElseThrow();
    assertTrue(notice.sortBytes() < 2L * TestPool.SEGMENT_BYTES, notice.toString());
  }

  @Test
  void theEndOfALeaseIsTheEndOfListening() throws Exception {
    CompletableFuture<Optional<RevocationNotice>> heard = hear();
    lender.close();
    assertFalse(heard.get().isPresent());
  }

  @Test
  void theEndOfTheServiceIsTheEndOfListening() throws Exception {
    CompletableFuture<Optional<RevocationNotice>> heard = hear();
    keeper.close();
    assertFalse(heard.get().isPresent());
  }

  /** A part of what was asked for, out of the room for its runs, is not kept for nothing. */
  @Test
  void whoIsRefusedHoldsNoMoreOfThat() throws Exception {
    assertTrue(keeper.askNow(lender, MemoryUse.SORT, CHUNK_BYTES));
    try (Lease other = store.openLease("application_2")) {
      while (keeper.askNow(other, MemoryUse.WRITING, CHUNK_BYTES)) {}
      long heldBytes = keeper.snapshot().ledger().heldBytes().get(MemoryKind.WRITING);
      long capacityBytes = keeper.snapshot().ledger().capacityBytes();
      assertFalse(keeper.askNow(lender, MemoryUse.WRITING, capacityBytes));
      assertEquals(heldBytes, keeper.snapshot().ledger().heldBytes().get(MemoryKind.WRITING));
    }
  }
}
