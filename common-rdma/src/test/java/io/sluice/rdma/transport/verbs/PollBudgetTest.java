package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PollBudgetTest {
  private final PollBudget budget = new PollBudget();

  /** How many waits go without polling after one that polls in vain. */
  private int withoutAfterVain() {
    assertTrue(budget.mayPoll());
    budget.vain();
    int without = 0;
    while (!budget.mayPoll()) {
      without++;
    }
    return without;
  }

  @Test
  void pollsEachTimeWhileItFinds() {
    for (int i = 0; i < 100; i++) {
      assertTrue(budget.mayPoll());
      budget.found();
    }
  }

  @Test
  void pollsLessOftenTheMoreItIsInVain() {
    for (int expected = 1; expected < PollBudget.MOST_WITHOUT; expected *= 2) {
      assertEquals(expected, withoutAfterVain());
    }
    assertEquals(PollBudget.MOST_WITHOUT, withoutAfterVain());
    assertEquals(PollBudget.MOST_WITHOUT, withoutAfterVain());
    budget.found();
    assertEquals(1, withoutAfterVain());
  }
}
