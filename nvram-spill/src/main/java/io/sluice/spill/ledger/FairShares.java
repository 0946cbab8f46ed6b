package io.sluice.spill.ledger;

import io.sluice.spill.ledger.Holder.MemoryRequest;
import io.sluice.spill.ledger.Holding.HolderRole;
import io.sluice.spill.ledger.MemoryAccounts.Account;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The share of each application and sort buffer while others want memory, at one moment. Memory is
 * divided by max-min fairness: a demand below an equal share gets all of it, the others share the
 * rest equally.
 *
 * <p>Making one reads all accounts, holders and requests once, so one serves many questions. It is
 * out of date after a grant, a refusal or a return of memory.
 *
 * <p>Thread contract: its ledger's.
 */
final class FairShares {
  private final MemoryAccounts accounts;
  private final Map<Account, Long> unclaimedBytes;
  private final Map<Account, Long> demands;
  private final long levelBytes;
  private Map<Account, Long> sorting; // how many tasks sort or want to; null: not counted yet

  FairShares(MemoryAccounts accounts) {
    this.accounts = accounts;
    this.unclaimedBytes = unclaimedByAccount();
    this.demands = demands();
    this.levelBytes = level(demands);
  }

  /** Memory that tasks may still claim, or that expected applications will want, up to a bound. */
  private Map<Account, Long> unclaimedByAccount() {
    Map<Account, Long> bytes = new HashMap<>();
    long reservedBytes = accounts.reservedBytes();
    for (Holder holder : accounts.holders.values()) {
      bytes.merge(
          holder.account,
          Math.min(reservedBytes, MemoryAccounts.unclaimedBytes(holder)),
          (one, other) -> Math.min(reservedBytes, one + other));
    }
    for (Account account : accounts.applications.values()) {
      if (account.isExpected) {
        bytes.put(account, reservedBytes);
      }
    }
    return bytes;
  }

  private Map<Account, Long> demands() {
    Map<Account, Long> bytes = new HashMap<>();
    for (Account account : accounts.applications.values()) {
      bytes.put(account, account.heldBytes() + unclaimedBytes.getOrDefault(account, 0L));
    }
    accounts.queue.forEach(
        request -> bytes.merge(request.holder().account, request.chargeBytes(), Long::sum));
    // A loan is taken as large as it can be.
    accounts
        .wants
        .values()
        .forEach(
            request ->
                bytes.merge(
                    request.holder().account,
                    request.loan() ? accounts.capacityBytes() : request.chargeBytes(),
                    Long::sum));
    return bytes;
  }

  private long level(Map<Account, Long> of) {
    long withheldBytes =
        accounts.heldBytes(MemoryKind.SETTLING) + accounts.heldBytes(MemoryKind.QUARANTINE);
    return level(accounts.capacityBytes() - withheldBytes, of.values());
  }

  /**
   * The level: the most that any demand gets.
   *
   * @param demands bytes that each wants
   * @return all of it if the demands fit
   */
  static long level(long capacityBytes, Collection<Long> demands) {
    List<Long> rising = demands.stream().sorted().toList();
    long leftBytes = capacityBytes;
    for (int i = 0; i < rising.size(); i++) {
      long equalBytes = leftBytes / (rising.size() - i);
      if (rising.get(i) > equalBytes) {
        return equalBytes;
      }
      leftBytes -= rising.get(i);
    }
    return capacityBytes;
  }

  /** The most that an application is to hold while others want memory. */
  long levelBytes() {
    return levelBytes;
  }

  /** The most that a sort buffer of this application is to hold while others want memory. */
  long sortShareBytes(Account account) {
    if (sorting == null) {
      sorting = sortingByAccount();
    }
    // The other half is room for its runs.
    return levelBytes / Math.max(1, sorting.getOrDefault(account, 0L)) / 2;
  }

  private Map<Account, Long> sortingByAccount() {
    Set<Holder> holders = new HashSet<>();
    for (Holder holder : accounts.holders.values()) {
      if (holder.bytes(MemoryKind.SORT) > 0) {
        holders.add(holder);
      }
    }
    for (Collection<MemoryRequest> requests : List.of(accounts.queue, accounts.wants.values())) {
      for (MemoryRequest request : requests) {
        if (request.kind() == MemoryKind.SORT) {
          holders.add(request.holder());
        }
      }
    }
    Map<Account, Long> counts = new HashMap<>();
    holders.forEach(holder -> counts.merge(holder.account, 1L, Long::sum));
    return counts;
  }

  /** Whether the request is for a loan that leaves its holder within its share. */
  boolean isLoanBelowShare(MemoryRequest request) {
    return request.loan()
        && request.holder().bytes(MemoryKind.SORT) + request.bytes()
            <= sortShareBytes(request.holder().account);
  }

  /**
   * Bytes that maps are about to write from sort buffers of their own. Maps may claim any size, so
   * those of an application count only up to its share beside one that wants as much as possible.
   *
   * @param asking the account of that one
   */
  long ownRunsBytes(Account asking) {
    Map<Account, Long> saidBytes = new HashMap<>();
    for (Holder holder : accounts.holders.values()) {
      if (holder.who.role() == HolderRole.MAP) {
        // So that no sum is too long.
        long ownBytes = Math.min(holder.ownSortBytes, accounts.capacityBytes());
        saidBytes.merge(holder.account, ownBytes, Long::sum);
      }
    }
    Map<Account, Long> beside = new HashMap<>(demands);
    saidBytes.forEach((account, bytes) -> beside.merge(account, bytes, Long::sum));
    beside.put(asking, accounts.capacityBytes());
    long shareBytes = level(beside);
    return saidBytes.entrySet().stream()
        .mapToLong(
            said -> Math.min(said.getValue(), Math.max(0, shareBytes - said.getKey().heldBytes())))
        .sum();
  }

  /** Memory kept free for claims, so that few have to wait, and for expected applications. */
  long keepFreeBytes() {
    return Math.min(
        accounts.reservedBytes(),
        unclaimedBytes.values().stream().mapToLong(Long::longValue).sum());
  }
}
