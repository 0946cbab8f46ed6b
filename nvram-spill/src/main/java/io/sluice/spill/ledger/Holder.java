package io.sluice.spill.ledger;

import io.sluice.spill.ledger.GrantTerms.WaitLimit;
import io.sluice.spill.ledger.MemoryAccounts.Account;
import java.util.EnumMap;
import java.util.Map;

/** One connection of a task, and its memory. Thread contract: its ledger's. */
final class Holder {
  final long id;
  final Holding.HolderId who;
  final Account account;

  /** A sort buffer of its own, for which it does not ask. */
  final long ownSortBytes;

  /** Most that its sort buffer may take from outputs; memory beyond that is a loan. */
  final long claimBytes;

  final Map<MemoryKind, Long> bytes = new EnumMap<>(MemoryKind.class);
  final Map<MemoryKind, Notice> notices = new EnumMap<>(MemoryKind.class);
  private long heldBytes; // of all kinds
  long epoch;
  boolean receivesNotices;
  boolean late; // as counted
  boolean wasLate;

  /**
   * A notice that the holder has not obeyed yet.
   *
   * @param keepBytes most that it may keep of a kind
   * @param lateAtMs its deadline
   */
  record Notice(long keepBytes, long lateAtMs) {
    /** Bytes that come back if so much of the kind is held; none after the deadline. */
    private long backBytes(long heldBytes, long nowMs) {
      return nowMs < lateAtMs ? heldBytes - keepBytes : 0;
    }
  }

  Holder(long id, Holding.HolderId who, Account account, long ownSortBytes, long claimBytes) {
    this.id = id;
    this.who = who;
    this.account = account;
    this.ownSortBytes = ownSortBytes;
    this.claimBytes = claimBytes;
  }

  long bytes(MemoryKind kind) {
    return bytes.getOrDefault(kind, 0L);
  }

  /** Adds bytes of a kind, or takes them away. */
  void add(MemoryKind kind, long moreBytes) {
    bytes.merge(kind, moreBytes, Long::sum);
    heldBytes += moreBytes;
  }

  /** Whether it can be told to give back, and always has in time. */
  boolean obeys() {
    return receivesNotices && !wasLate;
  }

  long heldBytes() {
    return heldBytes;
  }

  boolean isLate(long nowMs) {
    for (Notice notice : notices.values()) {
      if (nowMs >= notice.lateAtMs()) {
        return true;
      }
    }
    return false;
  }

  /** Bytes that its notices will bring if it obeys; 0 if it is late. */
  long expectedBytes(long nowMs) {
    long expectedBytes = 0;
    for (Map.Entry<MemoryKind, Notice> notice : notices.entrySet()) {
      expectedBytes += notice.getValue().backBytes(bytes(notice.getKey()), nowMs);
    }
    return expectedBytes;
  }

  /** Bytes that a notice would bring beyond the one that is out. */
  long moreExpectedBytes(MemoryKind kind, Notice next, long nowMs) {
    Notice told = notices.get(kind);
    long toldBytes = told == null ? 0 : told.backBytes(bytes(kind), nowMs);
    return next.backBytes(bytes(kind), nowMs) - toldBytes;
  }

  /** Whether it holds more than this, and no notice says to keep so little. */
  boolean hasMoreThan(MemoryKind kind, long keepBytes) {
    Notice told = notices.get(kind);
    return bytes(kind) > keepBytes && (told == null || told.keepBytes() > keepBytes);
  }

  /**
   * A holder's request that has no answer yet.
   *
   * @param number rises with each
   * @param bytes requested of that kind
   * @param chargeBytes bytes of free memory that it takes, room for runs included
   * @param hasBytes granted already, out of its room
   * @param loan whether it goes beyond its holder's claim
   * @param untilMs when it is refused if it has not been granted
   */
  record MemoryRequest(
      long number,
      Holder holder,
      MemoryKind kind,
      long bytes,
      long chargeBytes,
      long hasBytes,
      boolean loan,
      WaitLimit limit,
      long untilMs) {
    /** The same request until another time. */
    MemoryRequest until(long otherMs) {
      return new MemoryRequest(
          number, holder, kind, bytes, chargeBytes, hasBytes, loan, limit, otherMs);
    }

    /**
     * The order of grants: sorting before writing, and writing before receiving. Requests of last
     * resort rank with sorting, since their tasks fail otherwise. Loans rank with writing: a sort
     * buffer works without one. No output is moved for a loan, so it must not take memory that was
     * freed for a writer.
     */
    int rank() {
      return switch (kind) {
        case RECEIVE -> 2;
        case SORT -> loan ? 1 : 0;
        default -> limit == WaitLimit.LAST ? 0 : 1;
      };
    }
  }
}
