package io.sluice.spill.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.ledger.Holder.MemoryRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The policies decide and change nothing: asked again, they give the same decision. */
@Timeout(300)
class PoliciesTest {
  private static final int SCHEDULES = 100;

  private final AtomicLong decisions = new AtomicLong();

  private MemoryLedger ledger(long capacity) {
    MemoryAccounts accounts = new MemoryAccounts(LedgerModel.TERMS, capacity);
    GrantPolicy grants = new GrantPolicy(accounts);
    RevocationPolicy revocations =
        new RevocationPolicy(accounts, grants) {
          @Override
          List<Step> steps() {
            return super.steps().stream().map(step -> (Step) need -> twice(step, need)).toList();
          }

          private List<Decision> twice(Step step, Need need) {
            List<Decision> first = step.decide(need);
            assertEquals(first, step.decide(need));
            decisions.addAndGet(first.size());
            return first;
          }
        };
    return new MemoryLedger(accounts, grants, revocations) {
      @Override
      public List<MemoryAction> tick(long nowMs) {
        List<MemoryRequest> requests = grants.inOrder();
        LedgerStats before = stats();
        Optional<GrantPolicy.Decision> first = grants.decide(requests, nowMs);
        assertEquals(first, grants.decide(requests, nowMs));
        assertEquals(before, stats());
        return super.tick(nowMs);
      }
    };
  }

  @Test
  void decideTheSameTwice() {
    LedgerSchedules.all(this::ledger, 1, SCHEDULES);
    assertTrue(decisions.get() > 0);
  }
}
