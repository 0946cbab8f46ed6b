package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.remote.BounceSlots;
import io.sluice.node.remote.BounceSlots.BounceRequest;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class BounceReadTest {
  private static BounceRead read(long timeoutMs) {
    return new BounceRead(new BounceRequest("rdma", "attempt_0", 1, 2, 3, 4, 0), null, timeoutMs);
  }

  @Test
  void bytesFromASlotThatWasLostMeanwhileAreWorthNothing() {
    BounceRead read = read(1000);
    read.slotLost();
    assertFalse(read.done().isDone(), "its memory may still be written to");
    read.ended(null);
    ExecutionException e = assertThrows(ExecutionException.class, () -> read.done().get());
    assertTrue(e.getMessage().contains("control connection ended"), e.getMessage());
  }

  @Test
  void leavesHalfOfItsTimeForTheReadItself() {
    assertEquals(BounceSlots.MAX_WAIT_MS, read(1_000_000).request().waitMs());
    assertTrue(read(100).request().waitMs() <= 50);
    assertEquals(0, read(0).request().waitMs());
  }
}
