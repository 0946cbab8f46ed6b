package io.sluice.node.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.segment.Owner;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HeapBudgetTest {
  private static final Owner ANN = new Owner(1001);
  private static final Owner BOB = new Owner(1002);

  private final HeapBudget heap = new HeapBudget("readers", 1_000, true, 0);

  /** Most of what an answer may take is not needed while its reader receives it. */
  @Test
  void whatIsNotNeededGoesBack() throws Exception {
    try (HeapBudget.Held anns = heap.take(ANN, 900)) {
      assertThrows(RemoteError.class, () -> heap.take(BOB, 500));
      anns.shrinkTo(100);
      anns.shrinkTo(2_000);
      assertEquals(Map.of(ANN, 100L), heap.heldBytes());
      HeapBudget.Held bobs = heap.take(BOB, 500);
      assertEquals(Map.of(ANN, 100L, BOB, 500L), heap.heldBytes());
      bobs.close();
    }
    assertEquals(Map.of(), heap.heldBytes());
  }

  /** Its peer comes again, and whoever looks for the cause is told who it is. */
  @Test
  void whoHasItsShareIsBusyAndNamed() throws Exception {
    heap.take(ANN, 800);
    RemoteError e = assertThrows(RemoteError.class, () -> heap.take(ANN, 1));
    assertEquals(RemoteError.Code.BUSY, e.code());
    assertTrue(e.getMessage().contains("readers of user id 1001 hold 800 of 1000"), e.getMessage());
    assertTrue(e.getMessage().contains("raise the heap (-Xmx)"), e.getMessage());
    heap.take(BOB, 1);
  }
}
