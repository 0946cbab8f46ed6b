package io.sluice.node.ledger;

import java.util.EnumMap;
import java.util.Map;

/** One connection of a task, and what it holds. Thread contract: its ledger's. */
final class Holder {
  final long id;
  final Holding.HolderId who;
  final Account account;

  /** What it sorts in without asking. */
  final long ownSortBytes;

  /** What its sort buffer may take from outputs; what is beyond is a loan. */
  final long claimBytes;

  final Map<Kind, Long> bytes = new EnumMap<>(Kind.class);
  final Map<Kind, Notice> notices = new EnumMap<>(Kind.class);
  long epoch;
  boolean hears;
  boolean late; // as counted
  boolean wasLate;

  /**
   * What it was told to give back and has not.
   *
   * @param lateAtMs when it is late with that
   */
  record Notice(long keepBytes, long lateAtMs) {}

  Holder(long id, Holding.HolderId who, Account account, long ownSortBytes, long claimBytes) {
    this.id = id;
    this.who = who;
    this.account = account;
    this.ownSortBytes = ownSortBytes;
    this.claimBytes = claimBytes;
  }

  long bytes(Kind kind) {
    return bytes.getOrDefault(kind, 0L);
  }

  /** Whether it can be told to give back, and always has in time. */
  boolean obeys() {
    return hears && !wasLate;
  }

  long heldBytes() {
    return bytes.values().stream().mapToLong(Long::longValue).sum();
  }

  boolean isLate(long nowMs) {
    return notices.values().stream().anyMatch(notice -> nowMs >= notice.lateAtMs());
  }

  /** What its notices will bring if it obeys; nothing is expected of one that is late. */
  long expectedBytes(long nowMs) {
    return notices.entrySet().stream()
        .filter(notice -> nowMs < notice.getValue().lateAtMs())
        .mapToLong(notice -> bytes(notice.getKey()) - notice.getValue().keepBytes())
        .sum();
  }

  /** Whether it is to be told to keep no more than this. */
  boolean hasMoreThan(Kind kind, long keepBytes) {
    Notice told = notices.get(kind);
    return bytes(kind) > keepBytes && (told == null || told.keepBytes() > keepBytes);
  }
}
