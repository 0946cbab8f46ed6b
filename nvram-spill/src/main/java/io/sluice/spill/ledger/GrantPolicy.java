package io.sluice.spill.ledger;

import io.sluice.spill.ledger.GrantTerms.WaitLimit;
import io.sluice.spill.ledger.Holder.MemoryRequest;
import io.sluice.spill.ledger.MemoryAccounts.Account;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Decides which requests are granted, and which may wait. A request waits for memory that only a
 * task can give back if its task has nowhere else to write, and never otherwise.
 *
 * <p>It reads the accounts and changes nothing: {@link MemoryLedger} posts its decisions to the
 * accounts, one before it asks for the next. Thread contract: its ledger's.
 */
class GrantPolicy {
  private final MemoryAccounts accounts;

  GrantPolicy(MemoryAccounts accounts) {
    this.accounts = accounts;
  }

  /** The answer to a request: all that it lacks, or nothing. */
  record Decision(MemoryRequest request, boolean granted) {}

  final MemoryAccounts accounts() {
    return accounts;
  }

  /** Most bytes of the runs of a sort buffer. */
  long roomFor(long sortBytes) {
    return sortBytes;
  }

  /** Bytes that the service frees for the request without the help of a task. */
  long comingBytes(MemoryRequest request) {
    long bytes = 0;
    if (accounts.moverWorks) {
      for (Account account : accounts.applications.values()) {
        if (accounts.isMovedFor(request, account)) {
          bytes += account.sendBytes - account.unmovableBytes;
        }
      }
    }
    return bytes;
  }

  /** Longest wait by limit. */
  long waitMs(WaitLimit limit) {
    return switch (limit) {
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

  /**
   * A holder's request, with the room for the runs of a sort buffer.
   *
   * @param hasBytes granted already, out of its room
   * @param bytes requested beyond that
   */
  final MemoryRequest request(
      long number,
      Holder holder,
      MemoryKind kind,
      long hasBytes,
      long bytes,
      WaitLimit limit,
      long untilMs) {
    long sortBytes = holder.bytes(MemoryKind.SORT) + bytes;
    boolean sort = kind == MemoryKind.SORT;
    long roomBytes = sort ? roomFor(sortBytes) - holder.bytes(MemoryKind.ROOM) : 0;
    return new MemoryRequest(
        number,
        holder,
        kind,
        bytes,
        bytes + Math.max(0, roomBytes),
        hasBytes,
        sort && sortBytes > holder.claimBytes,
        limit,
        untilMs);
  }

  /** Whether the request is refused without a look at the memory. */
  final boolean isRefusedAtOnce(MemoryRequest request, long nowMs) {
    Holder holder = request.holder();
    boolean late = request.limit() != WaitLimit.LAST && !isServed(holder, nowMs);
    return holder.account.ended || late;
  }

  /** The requests by rank; then by the holdings of the application, then of the task. */
  List<MemoryRequest> inOrder() {
    List<MemoryRequest> requests = new ArrayList<>(accounts.queue);
    requests.sort(
        Comparator.comparingInt(MemoryRequest::rank)
            .thenComparingLong(request -> request.holder().account.heldBytes())
            .thenComparingLong(request -> request.holder().heldBytes())
            .thenComparingLong(MemoryRequest::number));
    return requests;
  }

  /**
   * Decides about one of the requests: the first that can be granted, else the first that would
   * wait in vain or too long; empty if all of them wait.
   *
   * @param requests in the order of {@link #inOrder}
   */
  final Optional<Decision> decide(List<MemoryRequest> requests, long nowMs) {
    if (requests.isEmpty()) {
      return Optional.empty();
    }
    FairShares shares = new FairShares(accounts);
    Optional<MemoryRequest> granted = firstToGrant(requests, shares);
    return granted.isPresent()
        ? granted.map(request -> new Decision(request, true))
        : firstToRefuse(requests, shares, nowMs).map(request -> new Decision(request, false));
  }

  private Optional<MemoryRequest> firstToRefuse(
      List<MemoryRequest> requests, FairShares shares, long nowMs) {
    Ahead ahead = new Ahead(shares, nowMs);
    for (MemoryRequest request : requests) {
      ahead.add(request);
      if (nowMs >= request.untilMs() || !ahead.mayWait(request)) {
        return Optional.of(request);
      }
    }
    return Optional.empty();
  }

  private Optional<MemoryRequest> firstToGrant(List<MemoryRequest> requests, FairShares shares) {
    boolean oneIsBelow =
        requests.stream()
            .anyMatch(request -> request.holder().account.heldBytes() <= shares.levelBytes());
    for (MemoryRequest request : requests) {
      if (isBarred(request, shares, oneIsBelow)) {
        continue; // it keeps nobody waiting
      }
      if (accounts.freeBytes() - keptBytes(request, shares) >= request.chargeBytes()) {
        return Optional.of(request);
      }
      if (!request.loan()) {
        return Optional.empty(); // later ones must not take the memory that it waits for
      }
    }
    return Optional.empty();
  }

  /**
   * Whether others come first: its application has its share, and theirs do not.
   *
   * @param oneIsBelow whether the application of a request is within the level
   */
  private boolean isBarred(MemoryRequest request, FairShares shares, boolean oneIsBelow) {
    Holder holder = request.holder();
    if (holder.account.heldBytes() > shares.levelBytes() && oneIsBelow) {
      return true;
    }
    return request.loan()
        && holder.bytes(MemoryKind.SORT) + request.bytes() > shares.sortShareBytes(holder.account)
        && accounts.wants.values().stream()
            .anyMatch(other -> other.holder() != holder && shares.isLoanBelowShare(other));
  }

  /** Free memory that is kept from the request, for claims and for holders that have less. */
  final long keptBytes(MemoryRequest request, FairShares shares) {
    Account account = request.holder().account;
    boolean below = account.heldBytes() + request.chargeBytes() <= shares.levelBytes();
    boolean all = below && (mayHaveLast(request) || isAlone(account));
    long keptBytes = all ? 0 : accounts.reservedBytes();
    return request.loan()
        ? Math.max(keptBytes, shares.keepFreeBytes()) + shares.ownRunsBytes(account)
        : keptBytes;
  }

  /**
   * Whether the request may take the last reserve: its holder has always obeyed, so the reserve
   * comes back. A request of last resort may too, since its task would fail otherwise.
   */
  boolean mayHaveLast(MemoryRequest request) {
    Holder holder = request.holder();
    return request.limit() == WaitLimit.LAST
        || (holder.obeys() && request.kind() != MemoryKind.WRITING) // which cannot be revoked
        || holder.heldBytes() + request.chargeBytes() <= accounts.reservedBytes();
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

    void add(MemoryRequest request) {
      wantedBytes += request.chargeBytes();
      keptBytes = Math.max(keptBytes, keptBytes(request, shares));
    }

    /** Whether the memory that is coming suffices for the last request and all before it. */
    boolean mayWait(MemoryRequest request) {
      if (request.loan() || request.limit() == WaitLimit.NONE) {
        return false;
      }
      long comingBytes = accounts.freeBytes() - keptBytes + comingBytes(request);
      return request.limit() == WaitLimit.LAST
          ? wantedBytes <= comingBytes + recallableBytes(request.holder())
          : wantedBytes <= comingBytes && !hasItsShare(request);
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
    private boolean hasItsShare(MemoryRequest request) {
      Holder holder = request.holder();
      return request.kind() == MemoryKind.WRITING
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
}
