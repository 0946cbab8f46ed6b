package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PollBudgetTest {
  private long nowNanos = 5;
  private final PollBudget budget = new PollBudget(() -> nowNanos);

  /** How long it polls in vain before it sleeps. */
  private long vainNanos() {
    long startNanos = nowNanos;
    while (budget.mayPollAgain()) {
      nowNanos += 100;
    }
    return nowNanos - startNanos;
  }

  @Test
  void pollsLongerWhenItPaysAndShorterWhenItDoesNot() {
    assertEquals(PollBudget.LEAST_NANOS, vainNanos());
    assertEquals(PollBudget.LEAST_NANOS, vainNanos());
    for (int i = 0; i < 10; i++) {
      assertTrue(budget.mayPollAgain());
      budget.found();
    }
    assertEquals(PollBudget.MOST_NANOS, vainNanos());
    assertEquals(PollBudget.MOST_NANOS / 2, vainNanos());
  }

  @Test
  void whatIsFoundWithoutWaitingChangesNothing() {
    for (int i = 0; i < 10; i++) {
      budget.found();
    }
    assertEquals(PollBudget.LEAST_NANOS, vainNanos());
  }
}
