package io.sluice.rdma.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class FairBudgetTest {
  private static final long LONG_MS = 200_000;

  @Test
  void whoIsAloneLeavesSomeForWhoeverComesNext() {
    FairBudget budget = new FairBudget(100, true);
    assertTrue(budget.take("ann", 80, 0));
    assertFalse(budget.take("ann", 1, 0), "three quarters are taken");
    assertTrue(budget.take("bob", 10, 0));
    assertFalse(budget.take("carol", 11, 0), "there is not so much");
    assertTrue(budget.take("carol", 10, 0));
    assertEquals(Map.of("ann", 80L, "bob", 10L, "carol", 10L), budget.held());
    budget.giveBack("ann", 80);
    budget.giveBack("carol", 3);
    assertEquals(Map.of("bob", 10L, "carol", 7L), budget.held());
  }

  @Test
  void whereNobodySharesAllMayBeTaken() {
    FairBudget budget = new FairBudget(100, false);
    assertTrue(budget.take("ann", 80, 0));
    assertTrue(budget.take("ann", 20, 0));
    assertFalse(budget.take("ann", 1, 0));
  }

  private static void awaitOneThatWaits(FairBudget budget) {
    while (budget.waiting() == 0) {
      Thread.onSpinWait();
    }
  }

  private static CompletableFuture<Boolean> wait(FairBudget budget, Object sharer, long amount) {
    return CompletableFuture.supplyAsync(() -> budget.take(sharer, amount, LONG_MS));
  }

  /** Else one user's many waiters would keep another from what is free. */
  @Test
  void nobodyWaitsForOneWhoHasItsShare() {
    FairBudget budget = new FairBudget(100, true);
    assertTrue(budget.take("ann", 80, 0));
    CompletableFuture<Boolean> ann = wait(budget, "ann", 1);
    awaitOneThatWaits(budget);
    assertTrue(budget.take("bob", 10, 0));
    assertFalse(ann.isDone());
    budget.giveBack("ann", 80);
    assertTrue(ann.join());
  }

  @Test
  void whoWaitsForMuchIsNotPassedByThoseWhoComeLater() {
    FairBudget budget = new FairBudget(100, false);
    assertTrue(budget.take("ann", 60, 0));
    CompletableFuture<Boolean> much = wait(budget, "bob", 50);
    awaitOneThatWaits(budget);
    assertFalse(budget.take("carol", 10, 0), "it is not bob's yet, and would be");
    budget.giveBack("ann", 60);
    assertTrue(much.join());
    assertTrue(budget.take("carol", 10, 0));
  }

  @Test
  void manyAtATimeNeverHoldMoreThanThereIs() {
    long most = 1_000;
    FairBudget budget = new FairBudget(most, true);
    AtomicLong held = new AtomicLong();
    AtomicLong peak = new AtomicLong();
    Random seeds = TestSeed.random();
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Random random = new Random(seeds.nextLong());
      String sharer = "user " + i % 3;
      all.add(
          CompletableFuture.runAsync(
              () -> {
                for (int turn = 0; turn < 2_000; turn++) {
                  long amount = 1 + random.nextInt(400);
                  if (budget.take(sharer, amount, LONG_MS)) {
                    peak.accumulateAndGet(held.addAndGet(amount), Math::max);
                    held.addAndGet(-amount);
                    budget.giveBack(sharer, amount);
                  }
                }
              }));
    }
    all.forEach(CompletableFuture::join);
    assertTrue(peak.get() <= most, peak + " of " + most);
    assertEquals(Map.of(), budget.held());
    assertEquals(0, budget.waiting());
  }
}
