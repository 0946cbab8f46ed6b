package io.sluice.spill.ledger;

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
  boolean hears;
  boolean late; // as counted
  boolean wasLate;

  /**
   * A notice that the holder has not obeyed yet.
   *
   * @param lateAtMs its deadline
   */
  record Notice(long keepBytes, long lateAtMs) {}

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

  /** It holds so much more, or less, of a kind. */
  void add(MemoryKind kind, long moreBytes) {
    bytes.merge(kind, moreBytes, Long::sum);
    heldBytes += moreBytes;
  }

  /** Whether it can be told to give back, and always has in time. */
  boolean obeys() {
    return hears && !wasLate;
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
      if (nowMs < notice.getValue().lateAtMs()) {
        expectedBytes += bytes(notice.getKey()) - notice.getValue().keepBytes();
      }
    }
    return expectedBytes;
  }

  /** Whether it is to be told to keep no more than this. */
  boolean hasMoreThan(MemoryKind kind, long keepBytes) {
    Notice told = notices.get(kind);
    return bytes(kind) > keepBytes && (told == null || told.keepBytes() > keepBytes);
  }
}
