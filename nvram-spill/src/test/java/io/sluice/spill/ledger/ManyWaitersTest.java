package io.sluice.spill.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.ledger.GrantTerms.WaitLimit;
import io.sluice.spill.ledger.Holder.MemoryRequest;
import io.sluice.spill.ledger.Holding.HolderRole;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each event of a node is told under one lock: none may cost the square of the asks that wait. */
@Timeout(300)
class ManyWaitersTest {
  private static final long CAPACITY_BYTES = 8L << 30;
  private static final long STEP_BYTES = 8L << 20;
  private static final int ASKS = 200;

  /** Looks at an ask, or at a holder for it, that one event may take for each ask. */
  private static final int MOST_LOOKS = 10;

  private static final class Counted extends GrantPolicy {
    private int orderings;
    private long looks;

    private Counted(MemoryAccounts accounts) {
      super(accounts);
    }

    @Override
    List<MemoryRequest> inOrder() {
      orderings++;
      return super.inOrder();
    }

    @Override
    boolean mayHaveLast(MemoryRequest ask) {
      looks++;
      return super.mayHaveLast(ask);
    }

    @Override
    long recallableBytes(Holder asker, long nowMs) {
      looks += accounts().holders.size();
      return super.recallableBytes(asker, nowMs);
    }
  }

  enum Waiting {
    WRITERS(MemoryKind.WRITING, WaitLimit.COMING),
    CLAIMS(MemoryKind.SORT, WaitLimit.COMING),
    LAST_RESORTS(MemoryKind.WRITING, WaitLimit.LAST);

    private final MemoryKind kind;
    private final WaitLimit patience;

    Waiting(MemoryKind kind, WaitLimit patience) {
      this.kind = kind;
      this.patience = patience;
    }
  }

  @ParameterizedTest
  @EnumSource
  void areOrderedOnceForAnEventAndLookedAtAFewTimes(Waiting waiting) {
    MemoryAccounts accounts = new MemoryAccounts(GrantTerms.DEFAULT, CAPACITY_BYTES);
    Counted counted = new Counted(accounts);
    MemoryLedger ledger =
        new MemoryLedger(accounts, counted, new RevocationPolicy(accounts, counted));
    ledger.moverWorks(true, 0);
    fill(ledger, accounts);
    for (int i = 0; i < ASKS; i++) {
      ledger.ask(join(ledger, "small", i), waiting.kind, STEP_BYTES, waiting.patience, 0);
    }
    assertEquals(ASKS, ledger.stats().queued());
    counted.orderings = 0;
    counted.looks = 0;
    ledger.tick(1);
    assertEquals(ASKS, ledger.stats().queued());
    assertTrue(counted.looks <= MOST_LOOKS * ASKS, counted.looks + " looks");
    assertEquals(1, counted.orderings);
  }

  private static long join(MemoryLedger ledger, String application, int task) {
    return ledger.join(
        new Holding.HolderId("user", application, "attempt " + task, HolderRole.MAP), 0);
  }

  /** With outputs of an application that can be moved. */
  private static void fill(MemoryLedger ledger, MemoryAccounts accounts) {
    long filler = join(ledger, "large", 0);
    while (accounts.freeBytes() >= STEP_BYTES) {
      ledger.ask(filler, MemoryKind.WRITING, STEP_BYTES, WaitLimit.LAST, 0);
      ledger.commit(filler, STEP_BYTES, 0);
    }
  }
}
