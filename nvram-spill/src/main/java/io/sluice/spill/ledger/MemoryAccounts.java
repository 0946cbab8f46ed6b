package io.sluice.spill.ledger;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The bytes of each holder and application by kind: state without rules, which {@link GrantPolicy}
 * and {@link RevocationPolicy} have.
 *
 * <pre>
 * capacity = free + SORT + ROOM + WRITING + RECEIVE of all holders + SEND of all applications
 *          + SETTLING + QUARANTINE, and none of them is negative
 * </pre>
 *
 * <p>Thread contract: its ledger's. Failure: {@link IllegalStateException} if a posting would make
 * a balance negative.
 */
final class MemoryAccounts {
  /** The part of all memory that is reserved for applications below their share. */
  private static final int RESERVED_PART = 8;

  final GrantTerms terms;
  final Map<String, Account> applications = new TreeMap<>();
  final Map<Long, Holder> holders = new LinkedHashMap<>();
  final List<MemoryRequest> queue = new ArrayList<>();

  /** Requests that were refused a short time ago and count as wanted, by holder. */
  final Map<Long, MemoryRequest> wants = new LinkedHashMap<>();

  /** Orders to move outputs that have not ended, by number. */
  final SortedMap<Long, Transfer> moves = new TreeMap<>();

  final Map<MemoryKind, Long> grantedBytes = new EnumMap<>(MemoryKind.class);
  final Map<MemoryKind, Long> refusals = new EnumMap<>(MemoryKind.class);
  final Map<MemoryKind, Long> revokedBytes = new EnumMap<>(MemoryKind.class);
  private final Map<MemoryKind, Long> nobodysBytes = new EnumMap<>(MemoryKind.class);
  boolean moverWorks;

  /** Outputs have copies on disk, so that a move costs no write. */
  boolean outputsHaveCopies;

  long lates;
  private long capacityBytes;
  private long freeBytes;
  private long owedBytes; // of the capacity, which has shrunk, as soon as they are free

  /** An order to move outputs that has not ended. */
  record Transfer(Account account, long leftBytes) {}

  MemoryAccounts(GrantTerms terms, long capacityBytes) {
    this.terms = terms;
    this.capacityBytes = capacityBytes;
    this.freeBytes = capacityBytes;
  }

  long capacityBytes() {
    return capacityBytes;
  }

  long freeBytes() {
    return freeBytes;
  }

  /** The reserve for applications below their share. */
  long reservedBytes() {
    return capacityBytes / RESERVED_PART;
  }

  void capacity(long newBytes) {
    long addedBytes = newBytes - (capacityBytes - owedBytes);
    owedBytes -= addedBytes;
    if (owedBytes < 0) {
      capacityBytes -= owedBytes;
      freeBytes -= owedBytes;
      owedBytes = 0;
    }
    payDebt();
  }

  private void payDebt() {
    long paidBytes = Math.min(freeBytes, owedBytes);
    capacityBytes -= paidBytes;
    freeBytes -= paidBytes;
    owedBytes -= paidBytes;
  }

  private void take(long bytes) {
    if (bytes < 0 || bytes > freeBytes) {
      throw new IllegalStateException(bytes + " bytes taken of " + freeBytes + " that are free");
    }
    freeBytes -= bytes;
  }

  private void give(long bytes) {
    freeBytes += bytes;
    payDebt();
  }

  /** From free to a holder. */
  void charge(Holder holder, MemoryKind kind, long bytes) {
    take(bytes);
    add(holder, kind, bytes);
  }

  /** From a holder to free. */
  void credit(Holder holder, MemoryKind kind, long bytes) {
    add(holder, kind, -bytes);
    give(bytes);
  }

  /** Within what a holder holds. */
  void convert(Holder holder, MemoryKind from, MemoryKind to, long bytes) {
    add(holder, from, -bytes);
    add(holder, to, bytes);
  }

  private static void add(Holder holder, MemoryKind kind, long bytes) {
    long after = holder.bytes(kind) + bytes;
    if (after < 0) {
      throw new IllegalStateException(
          -bytes
              + " bytes of "
              + kind
              + " given back by "
              + holder.who
              + ", which holds "
              + holder.bytes(kind));
    }
    holder.add(kind, bytes);
    holder.account.taskBytes += bytes;
    Holder.Notice told = holder.notices.get(kind);
    if (told != null && after <= told.keepBytes()) {
      holder.notices.remove(kind);
    }
  }

  /** Bytes that a holder wrote become its application's. */
  void commit(Holder holder, long bytes) {
    add(holder, MemoryKind.WRITING, -bytes);
    holder.account.sendBytes += bytes;
  }

  /** From free to an application: found at the start. */
  void chargeSend(Account account, long bytes) {
    take(bytes);
    account.sendBytes += bytes;
  }

  /** From an application to free. */
  void creditSend(Account account, long bytes) {
    if (bytes > account.sendBytes) {
      throw new IllegalStateException(
          bytes
              + " bytes of outputs of "
              + account.application
              + " freed, which has "
              + account.sendBytes);
    }
    account.sendBytes -= bytes;
    account.unmovableBytes = Math.min(account.unmovableBytes, account.sendBytes);
    give(bytes);
  }

  /**
   * From a holder that leaves to free, but the settling part directly to no holder: a capacity that
   * has shrunk would take it from free.
   */
  void leave(Holder holder, long settlingBytes) {
    long heldBytes = holder.heldBytes();
    for (MemoryKind kind : List.copyOf(holder.bytes.keySet())) {
      add(holder, kind, -holder.bytes(kind));
    }
    holders.remove(holder.id);
    nobodysBytes.merge(MemoryKind.SETTLING, settlingBytes, Long::sum);
    give(heldBytes - settlingBytes);
  }

  /** From quarantine to an application. */
  void resume(Account account, long bytes) {
    unholdNobodys(MemoryKind.QUARANTINE, bytes);
    account.sendBytes += bytes;
  }

  /** From free to no holder, as {@link MemoryKind#SETTLING} or {@link MemoryKind#QUARANTINE}. */
  void withhold(MemoryKind kind, long bytes) {
    take(bytes);
    nobodysBytes.merge(kind, bytes, Long::sum);
  }

  /** From no holder to free. */
  void release(MemoryKind kind, long bytes) {
    unholdNobodys(kind, bytes);
    give(bytes);
  }

  private void unholdNobodys(MemoryKind kind, long bytes) {
    if (bytes > nobodysBytes.getOrDefault(kind, 0L)) {
      throw new IllegalStateException(
          bytes + " bytes of " + kind + " released, more than there are");
    }
    nobodysBytes.merge(kind, -bytes, Long::sum);
  }

  /** Some of an order has been moved, or counts no more as coming. */
  void progressed(long moveId, long bytes) {
    Transfer before = moves.get(moveId);
    long lessBytes = Math.min(bytes, before.leftBytes());
    before.account().movingBytes -= lessBytes;
    moves.put(moveId, new Transfer(before.account(), before.leftBytes() - lessBytes));
  }

  long movingBytes() {
    return applications.values().stream().mapToLong(account -> account.movingBytes).sum();
  }

  /** Of one kind, over all. */
  long heldBytes(MemoryKind kind) {
    return switch (kind) {
      case SEND -> applications.values().stream().mapToLong(account -> account.sendBytes).sum();
      case SETTLING, QUARANTINE -> nobodysBytes.getOrDefault(kind, 0L);
      default -> holders.values().stream().mapToLong(holder -> holder.bytes(kind)).sum();
    };
  }

  /**
   * Whether outputs of an application are moved for this request. They are not moved for the same
   * application, or for one that holds no less: a move costs the disk a write as well. A writer
   * then writes to disk at once, and a map that sorts in less memory has more runs, which cost a
   * reducer next to nothing.
   */
  boolean isMovedFor(MemoryRequest ask, Account account) {
    return ask.kind() != MemoryKind.RECEIVE
        && (ask.patience() == WaitLimit.LAST
            || outputsHaveCopies
            || account.heldBytes() > ask.holder().account.heldBytes() + ask.chargeBytes());
  }

  /** Bytes that a map may still claim for sorting and for its runs. */
  static long unclaimedBytes(Holder holder) {
    return holder.who.role() == HolderRole.MAP
        ? Math.max(
            0,
            2 * holder.claimBytes - holder.bytes(MemoryKind.SORT) - holder.bytes(MemoryKind.ROOM))
        : 0;
  }
}
