package io.sluice.spill.ledger;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Decides which requests are granted, and which may wait. A request waits for memory that only a
 * task can give back if its task has nowhere else to write, and never otherwise.
 *
 * <p>Thread contract: its ledger's.
 */
class GrantPolicy {
  private final MemoryAccounts accounts;
  private long asks;

  GrantPolicy(MemoryAccounts accounts) {
    this.accounts = accounts;
  }

  final MemoryAccounts accounts() {
    return accounts;
  }

  /** Most bytes of the runs of a sort buffer. */
  long roomFor(long sortBytes) {
    return sortBytes;
  }

  /** Bytes that the service frees for the request without the help of a task. */
  long comingBytes(MemoryRequest ask) {
    long bytes = 0;
    if (accounts.moverWorks) {
      for (Account account : accounts.applications.values()) {
        if (accounts.isMovedFor(ask, account)) {
          bytes += account.sendBytes - account.unmovableBytes;
        }
      }
    }
    return bytes;
  }

  /** Longest wait by limit. */
  long waitMs(WaitLimit patience) {
    return switch (patience) {
      case NONE -> 0;
      case COMING -> accounts.terms.waitMs();
      case LAST -> accounts.terms.revokeMs();
    };
  }

  /**
   * Whether a holder has obeyed in time. A late one is granted only its own room, and memory for
   * data that it can write nowhere else: writing may be how it obeys.
   */
  boolean isServed(Holder holder, long nowMs) {
    return !holder.isLate(nowMs);
  }

  /** Takes a request, and answers it if it is not to wait. */
  final void ask(
      Holder holder,
      MemoryKind kind,
      long bytes,
      WaitLimit patience,
      long untilMs,
      long nowMs,
      List<MemoryAction> orders) {
    long hasBytes = kind == MemoryKind.WRITING ? Math.min(holder.bytes(MemoryKind.ROOM), bytes) : 0;
    if (hasBytes > 0) {
      accounts.convert(holder, MemoryKind.ROOM, MemoryKind.WRITING, hasBytes);
      accounts.grantedBytes.merge(MemoryKind.WRITING, hasBytes, Long::sum);
    }
    long moreBytes = bytes - hasBytes;
    if (moreBytes == 0) {
      orders.add(new MemoryAction.Answer(holder.id, bytes));
      return;
    }
    long sortBytes = holder.bytes(MemoryKind.SORT) + bytes;
    boolean sort = kind == MemoryKind.SORT;
    MemoryRequest ask =
        new MemoryRequest(
            asks++,
            holder,
            kind,
            moreBytes,
            sort
                ? bytes + Math.max(0, roomFor(sortBytes) - holder.bytes(MemoryKind.ROOM))
                : moreBytes,
            hasBytes,
            sort && sortBytes > holder.claimBytes,
            patience,
            Math.min(untilMs, nowMs + waitMs(patience)));
    boolean late = patience != WaitLimit.LAST && !isServed(holder, nowMs);
    if (holder.account.ended || late) {
      answer(ask, 0, orders);
      return;
    }
    accounts.queue.add(ask);
    serve(nowMs, orders);
  }

  /**
   * Grants the requests that it can, in order, and refuses those that would wait in vain or too
   * long. The requests are sorted once, and again after a grant: each event of the node comes here.
   */
  final void serve(long nowMs, List<MemoryAction> orders) {
    List<MemoryRequest> asks = inOrder();
    while (!asks.isEmpty()) {
      FairShares shares = new FairShares(accounts);
      if (grantFirst(asks, shares, orders)) {
        asks = inOrder(); // its holder has more now, and so has its application
      } else if (!refuseFirst(asks, shares, nowMs, orders)) {
        return;
      } // a refused request may have kept others from free memory
    }
  }

  /** By rank; then by the holdings of the application, then of the task, least first. */
  List<MemoryRequest> inOrder() {
    List<MemoryRequest> asks = new ArrayList<>(accounts.queue);
    asks.sort(
        Comparator.comparingInt(MemoryRequest::rank)
            .thenComparingLong(ask -> ask.holder().account.heldBytes())
            .thenComparingLong(ask -> ask.holder().heldBytes())
            .thenComparingLong(MemoryRequest::number));
    return asks;
  }

  private boolean refuseFirst(
      List<MemoryRequest> asks, FairShares shares, long nowMs, List<MemoryAction> orders) {
    Ahead ahead = new Ahead(shares, nowMs);
    for (MemoryRequest ask : asks) {
      ahead.add(ask);
      if (nowMs >= ask.untilMs() || !ahead.mayWait(ask)) {
        asks.remove(ask);
        refuse(ask, nowMs, orders);
        return true;
      }
    }
    return false;
  }

  private boolean grantFirst(
      List<MemoryRequest> asks, FairShares shares, List<MemoryAction> orders) {
    boolean oneIsBelow =
        asks.stream().anyMatch(ask -> ask.holder().account.heldBytes() <= shares.levelBytes());
    for (MemoryRequest ask : asks) {
      if (isBarred(ask, shares, oneIsBelow)) {
        continue; // it keeps nobody waiting
      }
      if (accounts.freeBytes() - keptBytes(ask, shares) >= ask.chargeBytes()) {
        accounts.queue.remove(ask);
        grant(ask, orders);
        return true;
      }
      if (!ask.loan()) {
        return false; // later ones must not take the memory that it waits for
      }
    }
    return false;
  }

  /**
   * Whether others come first: its application has its share, and theirs do not.
   *
   * @param oneIsBelow whether the application of a request is within the level
   */
  private boolean isBarred(MemoryRequest ask, FairShares shares, boolean oneIsBelow) {
    Account account = ask.holder().account;
    if (account.heldBytes() > shares.levelBytes() && oneIsBelow) {
      return true;
    }
    return ask.loan()
        && ask.holder().bytes(MemoryKind.SORT) + ask.bytes() > shares.sortShareBytes(account)
        && accounts.wants.values().stream()
            .anyMatch(other -> other.holder() != ask.holder() && shares.isLoanBelowShare(other));
  }

  /** Free memory that is kept from the request, for claims and for holders that have less. */
  final long keptBytes(MemoryRequest ask, FairShares shares) {
    Account account = ask.holder().account;
    boolean below = account.heldBytes() + ask.chargeBytes() <= shares.levelBytes();
    boolean all = below && (mayHaveLast(ask) || isAlone(account));
    long keptBytes = all ? 0 : accounts.reservedBytes();
    return ask.loan()
        ? Math.max(keptBytes, shares.keepFreeBytes()) + shares.ownRunsBytes(account)
        : keptBytes;
  }

  /**
   * Whether the request may take the last reserve: its holder has always obeyed, so the reserve
   * comes back. A request of last resort may too, since its task would fail otherwise.
   */
  boolean mayHaveLast(MemoryRequest ask) {
    Holder holder = ask.holder();
    return ask.patience() == WaitLimit.LAST
        || (holder.obeys() && ask.kind() != MemoryKind.WRITING) // which cannot be revoked
        || holder.heldBytes() + ask.chargeBytes() <= accounts.reservedBytes();
  }

  /**
   * Whether no other application is here that the reserve could be kept for, and as much of this
   * one's outputs could be moved for one that comes.
   */
  boolean isAlone(Account account) {
    return accounts.moverWorks
        && account.movableBytes() >= accounts.reservedBytes()
        && accounts.applications.values().stream()
            .allMatch(other -> other == account || other.isEmpty());
  }

  /** Sums over a request and those before it, while the requests are looked at in order. */
  private final class Ahead {
    private final FairShares shares;
    private final long nowMs;
    private long wantedBytes;
    private long keptBytes; // one before it that waits for more than is kept would keep it waiting
    private long recallableBytes = -1; // of all holders; not known yet

    Ahead(FairShares shares, long nowMs) {
      this.shares = shares;
      this.nowMs = nowMs;
    }

    void add(MemoryRequest ask) {
      wantedBytes += ask.chargeBytes();
      keptBytes = Math.max(keptBytes, keptBytes(ask, shares));
    }

    /** Whether the memory that is coming suffices for the last request and all before it. */
    boolean mayWait(MemoryRequest ask) {
      if (ask.loan() || ask.patience() == WaitLimit.NONE) {
        return false;
      }
      long comingBytes = accounts.freeBytes() - keptBytes + comingBytes(ask);
      return ask.patience() == WaitLimit.LAST
          ? wantedBytes <= comingBytes + recallableBytes(ask.holder())
          : wantedBytes <= comingBytes && !hasItsShare(ask);
    }

    /** Bytes that all others could be told to give back, from one sum for all requests. */
    private long recallableBytes(Holder asker) {
      long ownBytes = recallableOf(asker, nowMs);
      if (recallableBytes < 0) {
        recallableBytes = GrantPolicy.this.recallableBytes(asker, nowMs) + ownBytes;
      }
      return recallableBytes - ownBytes;
    }

    /** A writer with more than its share writes to disk while memory is short. */
    private boolean hasItsShare(MemoryRequest ask) {
      Holder holder = ask.holder();
      return ask.kind() == MemoryKind.WRITING
          && holder.bytes(MemoryKind.SORT) + holder.bytes(MemoryKind.WRITING)
              > 2 * shares.sortShareBytes(holder.account);
    }
  }

  /** Bytes that others could be told to give back. */
  long recallableBytes(Holder asker, long nowMs) {
    return accounts.holders.values().stream()
        .filter(holder -> holder != asker)
        .mapToLong(holder -> recallableOf(holder, nowMs))
        .sum();
  }

  private static long recallableOf(Holder holder, long nowMs) {
    return holder.isLate(nowMs)
        ? 0
        : holder.bytes(MemoryKind.RECEIVE)
            + Math.max(0, holder.bytes(MemoryKind.SORT) - holder.claimBytes);
  }

  private void grant(MemoryRequest ask, List<MemoryAction> orders) {
    Holder holder = ask.holder();
    accounts.charge(holder, ask.kind(), ask.bytes());
    if (ask.chargeBytes() > ask.bytes()) {
      accounts.charge(holder, MemoryKind.ROOM, ask.chargeBytes() - ask.bytes());
    }
    accounts.wants.remove(holder.id);
    answer(ask, ask.bytes(), orders);
  }

  private void refuse(MemoryRequest ask, long nowMs, List<MemoryAction> orders) {
    accounts.queue.remove(ask);
    accounts.wants.put(
        ask.holder().id,
        new MemoryRequest(
            ask.number(),
            ask.holder(),
            ask.kind(),
            ask.bytes(),
            ask.chargeBytes(),
            ask.hasBytes(),
            ask.loan(),
            ask.patience(),
            nowMs + accounts.terms.wantMs()));
    answer(ask, 0, orders);
  }

  private void answer(MemoryRequest ask, long grantedBytes, List<MemoryAction> orders) {
    Map<MemoryKind, Long> counts = grantedBytes > 0 ? accounts.grantedBytes : accounts.refusals;
    counts.merge(ask.kind(), grantedBytes > 0 ? grantedBytes : 1, Long::sum);
    orders.add(new MemoryAction.Answer(ask.holder().id, ask.hasBytes() + grantedBytes));
  }
}
