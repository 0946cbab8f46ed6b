package io.sluice.spill.ledger;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides which memory is given back when memory is short: first received data, then loans of sort
 * buffers, then outputs, and last sort buffers within their claims. Each step covers the bytes that
 * the steps before it cannot bring. No request waits for a notice: outputs are moved for it
 * although notices are out.
 *
 * <p>Thread contract: its ledger's.
 */
class RevocationPolicy {
  private final MemoryAccounts accounts;
  private final GrantPolicy grants;
  private long moveIds;

  RevocationPolicy(MemoryAccounts accounts, GrantPolicy grants) {
    this.accounts = accounts;
    this.grants = grants;
  }

  /** The memory that requests lack, at one moment. */
  private final class Need {
    private final long nowMs;
    private final List<MemoryAction> orders;
    private final FairShares shares = new FairShares(accounts);
    private final List<MemoryRequest> queued = List.copyOf(accounts.queue);
    private final Set<Holder> waiting =
        queued.stream().map(MemoryRequest::holder).collect(Collectors.toSet());

    /** Waiting and refused requests, without loans, which take nothing from outputs. */
    private final List<MemoryRequest> wanted =
        Stream.concat(queued.stream(), accounts.wants.values().stream().filter(ask -> !ask.loan()))
            .toList();

    private final long wantedLackingBytes = lackingBytes(wanted);

    Need(long nowMs, List<MemoryAction> orders) {
      this.nowMs = nowMs;
      this.orders = orders;
    }

    /** Bytes that these requests want beyond the memory that is free for them. */
    long lackingBytes(List<MemoryRequest> asks) {
      long wantedBytes = 0;
      long keptBytes = 0;
      for (MemoryRequest ask : asks) {
        wantedBytes += ask.chargeBytes();
        keptBytes = Math.max(keptBytes, grants.keptBytes(ask, shares));
      }
      return wantedBytes == 0 ? 0 : wantedBytes + keptBytes - accounts.freeBytes();
    }

    long expectedBytes() {
      return accounts.holders.values().stream()
          .mapToLong(holder -> holder.expectedBytes(nowMs))
          .sum();
    }

    /** Bytes that notices and moves will bring. */
    long comingBytes() {
      return expectedBytes() + accounts.movingBytes();
    }

    long revoke(Holder holder, MemoryKind kind, long keepBytes) {
      long backBytes = holder.bytes(kind) - keepBytes;
      Holder.Notice told = holder.notices.get(kind);
      long lateAtMs =
          told != null
                  && nowMs >= told.lateAtMs() // a late holder stays late, however much is wanted
              ? told.lateAtMs()
              : nowMs + accounts.terms.revokeMs();
      holder.notices.put(kind, new Holder.Notice(keepBytes, lateAtMs));
      holder.epoch++;
      accounts.revokedBytes.merge(kind, backBytes, Long::sum);
      orders.add(new MemoryAction.Revoke(holder.id, holder.epoch, kind, keepBytes));
      return backBytes;
    }
  }

  /** Decides, and counts its own orders as coming from then on. */
  final void decide(long nowMs, List<MemoryAction> orders) {
    Need need = new Need(nowMs, orders);
    takeBack(() -> received(need), () -> loans(need), () -> outputs(need), () -> claims(need));
    if (sharesLoans()) {
      shareLoans(need);
    }
  }

  /** Whether loans are revoked in favour of holders that have smaller ones. */
  boolean sharesLoans() {
    return true;
  }

  /** In this order. */
  void takeBack(Runnable received, Runnable loans, Runnable outputs, Runnable claims) {
    received.run();
    loans.run();
    outputs.run();
    claims.run();
  }

  /** Bytes that notices must still bring. */
  private static long recallBytes(Need need) {
    return need.wantedLackingBytes - need.comingBytes();
  }

  private void received(Need need) {
    long leftBytes = recallBytes(need);
    if (leftBytes <= 0) {
      return; // each event comes here: nothing is sorted if nothing is lacking
    }
    boolean forReceive = need.wanted.stream().allMatch(ask -> ask.kind() == MemoryKind.RECEIVE);
    for (Holder holder : sorted(holder -> holder.account.heldBytes())) {
      long heldBytes = holder.bytes(MemoryKind.RECEIVE);
      boolean fair = !forReceive || holder.account.heldBytes() > need.shares.levelBytes();
      long keepBytes = Math.max(0, heldBytes - leftBytes);
      if (leftBytes > 0
          && fair
          && !need.waiting.contains(holder) // a holder that was refused can give back too
          && holder.hasMoreThan(MemoryKind.RECEIVE, keepBytes)
          && holder.notices.get(MemoryKind.RECEIVE) == null) {
        leftBytes -= need.revoke(holder, MemoryKind.RECEIVE, keepBytes);
      }
    }
  }

  private void loans(Need need) {
    long leftBytes = recallBytes(need);
    if (leftBytes <= 0) {
      return;
    }
    for (Holder holder : sorted(holder -> holder.bytes(MemoryKind.SORT))) {
      long keepBytes = Math.max(holder.claimBytes, holder.bytes(MemoryKind.SORT) - leftBytes);
      if (leftBytes > 0
          && !need.waiting.contains(holder)
          && !accounts.wants.containsKey(holder.id)
          && holder.hasMoreThan(MemoryKind.SORT, keepBytes)
          && holder.notices.get(MemoryKind.SORT) == null) {
        leftBytes -= need.revoke(holder, MemoryKind.SORT, keepBytes);
      }
    }
  }

  private void outputs(Need need) {
    if (!accounts.moverWorks) {
      return;
    }
    long movingBytes = accounts.movingBytes();
    List<MemoryRequest> queued = movedFor(need.queued);
    List<MemoryRequest> wanted = movedFor(need.wanted);
    long urgentBytes =
        Math.max(
            need.lackingBytes(queued) - movingBytes,
            need.lackingBytes(wanted) - need.comingBytes());
    move(need, urgentBytes, true, isMovedForOneOf(wanted));
    long leastBytes = leastClaimantBytes();
    move(
        need,
        need.shares.keepFreeBytes() - accounts.freeBytes() - accounts.movingBytes(),
        false,
        account -> accounts.outputsHaveCopies || account.heldBytes() > leastBytes);
  }

  /** The requests for which outputs of some application are moved. */
  private List<MemoryRequest> movedFor(List<MemoryRequest> asks) {
    Optional<Account> furthest =
        accounts.applications.values().stream().max(Comparator.comparingLong(Account::heldBytes));
    return asks.stream()
        .filter(ask -> furthest.isPresent() && accounts.isMovedFor(ask, furthest.get()))
        .toList();
  }

  /** Whether outputs of an application are moved for one of these at least. */
  private Predicate<Account> isMovedForOneOf(List<MemoryRequest> asks) {
    Optional<MemoryRequest> least =
        asks.stream()
            .filter(ask -> ask.kind() != MemoryKind.RECEIVE)
            .min(Comparator.comparingLong(RevocationPolicy::boundBytes));
    return account -> least.isPresent() && accounts.isMovedFor(least.get(), account);
  }

  /** An application that holds more has outputs moved for it. */
  private static long boundBytes(MemoryRequest ask) {
    return ask.patience() == WaitLimit.LAST
        ? Long.MIN_VALUE
        : ask.holder().account.heldBytes() + ask.chargeBytes();
  }

  /** An application that holds more has outputs moved for claims that others may make. */
  private long leastClaimantBytes() {
    Stream<Account> expected =
        accounts.applications.values().stream().filter(account -> account.isExpected);
    Stream<Account> claimants =
        accounts.holders.values().stream()
            .filter(holder -> MemoryAccounts.unclaimedBytes(holder) > 0)
            .map(holder -> holder.account);
    return Stream.concat(expected, claimants)
        .mapToLong(Account::heldBytes)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  private void move(Need need, long bytes, boolean urgent, Predicate<Account> from) {
    if (bytes <= 0) {
      return;
    }
    long leftBytes = bytes;
    List<Account> furthestFirst =
        accounts.applications.values().stream()
            .filter(from)
            .sorted(Comparator.comparingLong(Account::heldBytes).reversed())
            .toList();
    for (Account account : furthestFirst) {
      long partBytes = Math.min(leftBytes, account.movableBytes());
      if (partBytes > 0) {
        long moveId = moveIds++;
        account.movingBytes += partBytes;
        accounts.moves.put(moveId, new MemoryAccounts.Transfer(account, partBytes));
        need.orders.add(new MemoryAction.Move(moveId, account.application, partBytes, urgent));
        leftBytes -= partBytes;
      }
    }
  }

  /** Bytes of outputs that could still be moved for one of these requests. */
  long movableBytes(List<MemoryRequest> asks) {
    return accounts.applications.values().stream()
        .filter(isMovedForOneOf(asks))
        .mapToLong(this::movableBytes)
        .sum();
  }

  private long movableBytes(Account account) {
    return accounts.moverWorks ? account.movableBytes() : 0;
  }

  private void claims(Need need) {
    // A writer can write to disk, but for a request of last resort.
    List<MemoryRequest> sorts =
        need.wanted.stream()
            .filter(ask -> ask.kind() == MemoryKind.SORT || ask.patience() == WaitLimit.LAST)
            .toList();
    if (need.lackingBytes(sorts) <= need.comingBytes()) {
      return; // nor do some of them lack anything
    }
    for (Holder holder : sorted(holder -> holder.account.heldBytes())) {
      long keepBytes = need.shares.sortShareBytes(holder.account);
      if (holder.hasMoreThan(MemoryKind.SORT, keepBytes)) {
        List<MemoryRequest> takers = sorts.stream().filter(ask -> mayTake(ask, holder)).toList();
        long comingBytes = need.comingBytes() + movableBytes(takers);
        if (need.lackingBytes(takers) > comingBytes) {
          need.revoke(holder, MemoryKind.SORT, keepBytes);
        }
      }
    }
  }

  private boolean mayTake(MemoryRequest ask, Holder holder) {
    return ask.holder() != holder
        && (accounts.isMovedFor(ask, holder.account) || isLess(ask, holder));
  }

  /** Whether a task of the same application sorts in less, and there are no outputs instead. */
  private boolean isLess(MemoryRequest ask, Holder holder) {
    return ask.holder().account == holder.account
        && movableBytes(holder.account) == 0
        && ask.holder().bytes(MemoryKind.SORT) < holder.bytes(MemoryKind.SORT);
  }

  /** Revokes for refused loans of holders below their share, from holders above theirs. */
  private void shareLoans(Need need) {
    long leftBytes =
        accounts.wants.values().stream()
                .filter(need.shares::isLoanBelowShare)
                .mapToLong(MemoryRequest::chargeBytes)
                .sum()
            - need.expectedBytes();
    if (leftBytes <= 0) {
      return;
    }
    for (Holder holder : sorted(holder -> holder.bytes(MemoryKind.SORT))) {
      if (leftBytes <= 0) {
        return;
      }
      long keepBytes = Math.max(holder.claimBytes, need.shares.sortShareBytes(holder.account));
      if (holder.hasMoreThan(MemoryKind.SORT, keepBytes)) {
        leftBytes -= need.revoke(holder, MemoryKind.SORT, keepBytes);
      }
    }
  }

  /** The holders, largest first. */
  private List<Holder> sorted(ToLongFunction<Holder> by) {
    return accounts.holders.values().stream()
        .sorted(Comparator.comparingLong(by).reversed())
        .toList();
  }
}
