package io.sluice.spill.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.spill.ledger.Holding.HolderRole;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each event of a node is told under one lock: none may cost the square of its tasks. */
@Timeout(300)
class ManyHoldersTest {
  private static final int TASKS = 3_000;
  private static final int EVENTS = 600;

  @Test
  void whereNobodyLacksMemoryAnEventCostsLittleHoweverManyTasksAreConnected() {
    MemoryLedger ledger = new MemoryLedger(GrantTerms.DEFAULT, 1L << 40);
    for (int i = 0; i < TASKS; i++) {
      ledger.join(new Holding.HolderId("user", "application", "task " + i, HolderRole.MAP), 0);
    }
    for (int i = 0; i < EVENTS; i++) {
      assertEquals(List.of(), ledger.tick(i));
    }
  }
}
