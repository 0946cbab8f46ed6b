package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Timeouts;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Who may still come when a user has as many outputs as fit on the heap. */
class HeapShareServerTest extends SocketServerTestBase {
  private static final long ONE_OUTPUT_BYTES = 650;

  @Override
  StoreConfig.Builder pool() {
    return super.pool().heapBytes(ONE_OUTPUT_BYTES);
  }

  private SocketClient connect(Borrower borrower) throws IOException {
    Owner own = Owner.ofThisProcess();
    return SocketClient.connect(socket(), own, borrower, APP, SECRET, Timeouts.all(TIMEOUT_MS));
  }

  /** It has written nothing yet, and uses stock's collector. */
  @Test
  void aMapIsToldBeforeItBeginsAndReducersStillRead() throws IOException {
    try (SocketClient map = connect(Borrower.map("map_1", 0))) {
      TestOutput.single(new Random(1), "attempt_0", 1_000).commit(APP, map);
    }
    RemoteError e = assertThrows(RemoteError.class, () -> connect(Borrower.map("map_2", 0)));
    assertEquals(RemoteError.Code.BUSY, e.code());
    assertTrue(e.getMessage().contains("who has 1 outputs"), e.getMessage());
    assertEquals(1, refusals.counts().get(RefusalKind.TOO_MANY));
    connect(Borrower.reduce("reduce_1")).close();
    connect(Borrower.PROCESS).close();
    store.freeApplication(APP);
    connect(Borrower.map("map_2", 0)).close();
  }
}
