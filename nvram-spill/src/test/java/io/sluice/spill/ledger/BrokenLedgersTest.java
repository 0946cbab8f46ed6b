package io.sluice.spill.ledger;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.ledger.GrantTerms.WaitLimit;
import io.sluice.spill.ledger.Holder.MemoryRequest;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The model finds each fault that a ledger could have, so that finding none says something. */
@Timeout(300)
class BrokenLedgersTest {
  private static final int SCHEDULES = 300;

  /** A ledger with one fault, and the properties by which it shows. */
  enum Fault {
    WAITS_FOR_TASKS(
        Set.of(Property.COMING, Property.WORK),
        grants(
            accounts ->
                new GrantPolicy(accounts) {
                  @Override
                  long comingBytes(MemoryRequest request) {
                    return super.comingBytes(request) + accounts.heldBytes(MemoryKind.SORT);
                  }
                })),
    WAITS_FOR_EVER(
        Set.of(Property.WAIT),
        grants(
            accounts ->
                new GrantPolicy(accounts) {
                  @Override
                  long waitMs(WaitLimit patience) {
                    return 10 * super.waitMs(patience);
                  }
                })),
    HAS_NO_LAST_RESORT(
        Set.of(Property.LAST_RESORT),
        grants(
            accounts ->
                new GrantPolicy(accounts) {
                  @Override
                  long waitMs(WaitLimit patience) {
                    return patience == WaitLimit.LAST ? 0 : super.waitMs(patience);
                  }
                })),
    COUNTS_ON_NO_SORT_BUFFER(
        Set.of(Property.LAST_RESORT),
        grants(
            accounts ->
                new GrantPolicy(accounts) {
                  @Override
                  long recallableBytes(Holder asker, long nowMs) {
                    return accounts.heldBytes(MemoryKind.RECEIVE);
                  }
                })),
    NO_ROOM(
        Set.of(Property.ROOM, Property.TRUTH),
        grants(
            accounts ->
                new GrantPolicy(accounts) {
                  @Override
                  long roomFor(long sortBytes) {
                    return 0;
                  }
                })),
    LOANS_BEFORE_RECEIVED(
        Set.of(Property.LOANS_AFTER_RECEIVED),
        revocations(
            accounts ->
                new RevocationPolicy(accounts, new GrantPolicy(accounts)) {
                  @Override
                  List<Step> steps() {
                    return List.of(
                        this::loans,
                        this::received,
                        this::outputs,
                        this::outputsAhead,
                        this::claims,
                        this::unequalLoans);
                  }
                })),
    OUTPUTS_BEFORE_LOANS(
        Set.of(Property.OUTPUTS_AFTER_LOANS),
        revocations(
            accounts ->
                new RevocationPolicy(accounts, new GrantPolicy(accounts)) {
                  @Override
                  List<Step> steps() {
                    return List.of(
                        this::outputs,
                        this::outputsAhead,
                        this::received,
                        this::loans,
                        this::claims,
                        this::unequalLoans);
                  }
                })),
    CLAIMS_BEFORE_OUTPUTS(
        Set.of(Property.CLAIMS_LAST),
        revocations(
            accounts ->
                new RevocationPolicy(accounts, new GrantPolicy(accounts)) {
                  @Override
                  long movableBytes(List<MemoryRequest> asks) {
                    return 0;
                  }

                  @Override
                  List<Step> steps() {
                    return List.of(
                        this::received,
                        this::loans,
                        this::claims,
                        this::outputs,
                        this::outputsAhead,
                        this::unequalLoans);
                  }
                })),
    FORGETS_WHAT_IS_KEPT(
        Set.of(Property.WORK),
        revocations(
            accounts ->
                new RevocationPolicy(
                    accounts,
                    new GrantPolicy(accounts) {
                      @Override
                      boolean mayHaveLast(MemoryRequest ask) {
                        return true;
                      }
                    }))),
    FORGETS_LEAVES(
        Set.of(Property.TRUTH, Property.FREE_AT_THE_END),
        accounts ->
            new MemoryLedger(accounts, new GrantPolicy(accounts)) {
              @Override
              public List<MemoryAction> leave(long holderId, long settlingBytes, long nowMs) {
                return List.of();
              }
            }),
    COUNTS_MOVES_TWICE(
        Set.of(Property.TRUTH),
        accounts ->
            new MemoryLedger(accounts, new GrantPolicy(accounts)) {
              @Override
              public List<MemoryAction> moved(long moveId, long bytes, long nowMs) {
                long twice = Math.min(2 * bytes, accounts.heldBytes(MemoryKind.SEND));
                return super.moved(moveId, twice, nowMs);
              }
            }),
    HAS_NO_LAST_EIGHTH(
        Set.of(Property.NEWCOMER),
        grants(
            accounts ->
                new GrantPolicy(accounts) {
                  @Override
                  boolean mayHaveLast(MemoryRequest ask) {
                    return true;
                  }
                })),
    LENDS_TO_NOBODY(
        Set.of(Property.ALONE),
        grants(
            accounts ->
                new GrantPolicy(accounts) {
                  @Override
                  boolean mayHaveLast(MemoryRequest ask) {
                    return false;
                  }
                })),
    SHARES_NO_LOANS(
        Set.of(Property.EQUAL),
        revocations(
            accounts ->
                new RevocationPolicy(accounts, new GrantPolicy(accounts)) {
                  @Override
                  List<Step> steps() {
                    return List.of(
                        this::received,
                        this::loans,
                        this::outputs,
                        this::outputsAhead,
                        this::claims);
                  }
                })),
    FORGIVES_THE_LATE(
        Set.of(Property.LATE),
        grants(
            accounts ->
                new GrantPolicy(accounts) {
                  @Override
                  boolean isServed(Holder holder, long nowMs) {
                    return true;
                  }
                })),
    KEEPS_A_CRUMB(
        Set.of(Property.TRUTH, Property.FREE_AT_THE_END, Property.SUM),
        accounts ->
            new MemoryLedger(accounts, new GrantPolicy(accounts)) {
              @Override
              public List<MemoryAction> giveBack(
                  long holderId, MemoryKind kind, long bytes, long nowMs) {
                return super.giveBack(holderId, kind, bytes - 1, nowMs);
              }
            });

    private final Set<Property> properties;
    private final Function<MemoryAccounts, MemoryLedger> maker;

    Fault(Set<Property> properties, Function<MemoryAccounts, MemoryLedger> maker) {
      this.properties = properties;
      this.maker = maker;
    }

    /** One with a fault in what it grants. */
    private static Function<MemoryAccounts, MemoryLedger> grants(
        Function<MemoryAccounts, GrantPolicy> maker) {
      return accounts -> new MemoryLedger(accounts, maker.apply(accounts));
    }

    /** One with a fault in what it takes back. */
    private static Function<MemoryAccounts, MemoryLedger> revocations(
        Function<MemoryAccounts, RevocationPolicy> maker) {
      return accounts ->
          new MemoryLedger(accounts, new GrantPolicy(accounts), maker.apply(accounts));
    }

    MemoryLedger ledger(long capacity) {
      return maker.apply(new MemoryAccounts(LedgerModel.TERMS, capacity));
    }
  }

  @ParameterizedTest
  @EnumSource
  void isFound(Fault fault) {
    Property.Broken found =
        assertThrows(Property.Broken.class, () -> LedgerSchedules.all(fault::ledger, 1, SCHEDULES));
    assertTrue(fault.properties.contains(found.property()), found.getMessage());
  }
}
