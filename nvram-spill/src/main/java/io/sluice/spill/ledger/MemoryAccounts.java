package io.sluice.spill.ledger;

import io.sluice.spill.ledger.GrantTerms.WaitLimit;
import io.sluice.spill.ledger.Holder.MemoryRequest;
import io.sluice.spill.ledger.Holding.HolderRole;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The bytes of each holder and application by kind, and the requests that are open. They are state
 * without rules: {@link GrantPolicy} and {@link RevocationPolicy} read them and decide, and their
 * decisions are posted here.
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
  private final SortedMap<Long, OpenMove> moves = new TreeMap<>();

  private final Map<MemoryKind, Long> grantedBytes = new EnumMap<>(MemoryKind.class);
  private final Map<MemoryKind, Long> refusals = new EnumMap<>(MemoryKind.class);
  private final Map<MemoryKind, Long> revokedBytes = new EnumMap<>(MemoryKind.class);
  private final Map<MemoryKind, Long> nobodysBytes = new EnumMap<>(MemoryKind.class);
  boolean moverWorks;

  /** Outputs have copies on disk, so that a move costs no write. */
  boolean outputsHaveCopies;

  long lates;
  private long capacityBytes;
  private long freeBytes;
  private long owedBytes; // of the capacity, which has shrunk, as soon as they are free
  private long moveIds;

  /** An order to move outputs that has not ended. */
  private record OpenMove(Account account, long leftBytes) {}

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

  /** From one kind of a holder's memory to another. */
  void convert(Holder holder, MemoryKind from, MemoryKind to, long bytes) {
    add(holder, from, -bytes);
    add(holder, to, bytes);
  }

  private static void add(Holder holder, MemoryKind kind, long bytes) {
    long after = holder.bytes(kind) + bytes;
    if (after < 0) {
      throw new IllegalStateException(
          "%s bytes of %s given back by %s, which holds %s"
              .formatted(-bytes, kind, holder.who, holder.bytes(kind)));
    }
    holder.add(kind, bytes);
    holder.account.taskBytes += bytes;
    Holder.Notice told = holder.notices.get(kind);
    if (told != null && after <= told.keepBytes()) {
      holder.notices.remove(kind);
    }
  }

  /** Turns room for runs into memory for writing, as far as there is; returns how much that is. */
  long useRoom(Holder holder, long mostBytes) {
    long bytes = Math.min(holder.bytes(MemoryKind.ROOM), mostBytes);
    if (bytes > 0) {
      convert(holder, MemoryKind.ROOM, MemoryKind.WRITING, bytes);
      grantedBytes.merge(MemoryKind.WRITING, bytes, Long::sum);
    }
    return bytes;
  }

  /** Posts a grant: the requested bytes, and the room for runs that goes with them. */
  MemoryAction grant(MemoryRequest request) {
    Holder holder = request.holder();
    queue.remove(request);
    charge(holder, request.kind(), request.bytes());
    if (request.chargeBytes() > request.bytes()) {
      charge(holder, MemoryKind.ROOM, request.chargeBytes() - request.bytes());
    }
    wants.remove(holder.id);
    grantedBytes.merge(request.kind(), request.bytes(), Long::sum);
    return new MemoryAction.Answer(holder.id, request.hasBytes() + request.bytes());
  }

  /** Posts a refusal of a request that waited, and counts as wanted until then. */
  MemoryAction refuse(MemoryRequest request, long wantedUntilMs) {
    queue.remove(request);
    wants.put(request.holder().id, request.until(wantedUntilMs));
    return refuse(request);
  }

  /** Posts a refusal. */
  MemoryAction refuse(MemoryRequest request) {
    refusals.merge(request.kind(), 1L, Long::sum);
    return new MemoryAction.Answer(request.holder().id, request.hasBytes());
  }

  /** Posts a revocation or a move, so that its bytes count as coming from now on. */
  MemoryAction post(RevocationPolicy.Decision decision) {
    return decision instanceof RevocationPolicy.Decision.Revoke revoke
        ? post(revoke)
        : post((RevocationPolicy.Decision.Move) decision);
  }

  private MemoryAction post(RevocationPolicy.Decision.Revoke revoke) {
    Holder holder = revoke.holder();
    revokedBytes.merge(revoke.kind(), revoke.backBytes(), Long::sum);
    holder.notices.put(revoke.kind(), revoke.notice());
    holder.epoch++;
    return new MemoryAction.Revoke(
        holder.id, holder.epoch, revoke.kind(), revoke.notice().keepBytes());
  }

  private MemoryAction post(RevocationPolicy.Decision.Move move) {
    Account account = move.account();
    long moveId = moveIds++;
    account.movingBytes += move.bytes();
    moves.put(moveId, new OpenMove(account, move.bytes()));
    return new MemoryAction.Move(moveId, account.application, move.bytes(), move.urgent());
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
          "%s bytes of outputs of %s freed, which has %s"
              .formatted(bytes, account.application, account.sendBytes));
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

  /**
   * Some of an order has been moved. More bytes than were ordered count for the other orders.
   *
   * @return the application of the order
   */
  String moved(long moveId, long bytes) {
    long surplusBytes = bytes - leftBytes(moveId);
    progressed(moveId, bytes);
    for (long other : moves.keySet()) {
      if (surplusBytes <= 0) {
        break;
      }
      long lessBytes = Math.min(surplusBytes, leftBytes(other));
      progressed(other, lessBytes);
      surplusBytes -= lessBytes;
    }
    return moves.get(moveId).account().application;
  }

  /** An order has ended; outputs that were not moved count as unmovable until then. */
  void endMove(long moveId, long unmovableUntilMs) {
    long leftBytes = leftBytes(moveId);
    progressed(moveId, leftBytes);
    Account account = moves.remove(moveId).account();
    if (leftBytes > 0) {
      account.unmovableBytes =
          Math.min(
              account.sendBytes - Math.min(account.sendBytes, account.movingBytes),
              account.unmovableBytes + leftBytes);
      account.unmovableUntilMs = unmovableUntilMs;
    }
  }

  /** How much of an order is still to be moved. */
  long leftBytes(long moveId) {
    return moves.get(moveId).leftBytes();
  }

  /** Some of an order has been moved, or counts no more as coming. */
  private void progressed(long moveId, long bytes) {
    OpenMove before = moves.get(moveId);
    long lessBytes = Math.min(bytes, before.leftBytes());
    before.account().movingBytes -= lessBytes;
    moves.put(moveId, new OpenMove(before.account(), before.leftBytes() - lessBytes));
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
  boolean isMovedFor(MemoryRequest request, Account account) {
    return request.kind() != MemoryKind.RECEIVE
        && (request.limit() == WaitLimit.LAST
            || outputsHaveCopies
            || account.heldBytes() > request.holder().account.heldBytes() + request.chargeBytes());
  }

  /** Counts at this moment. */
  LedgerStats stats() {
    Map<MemoryKind, Long> heldBytes = new EnumMap<>(MemoryKind.class);
    for (MemoryKind kind : MemoryKind.values()) {
      heldBytes.put(kind, heldBytes(kind));
    }
    return new LedgerStats(
        capacityBytes,
        freeBytes,
        heldBytes,
        Map.copyOf(grantedBytes),
        Map.copyOf(refusals),
        Map.copyOf(revokedBytes),
        lates,
        queue.size());
  }

  /** Bytes that a map may still claim for sorting and for its runs. */
  static long unclaimedBytes(Holder holder) {
    return holder.who.role() == HolderRole.MAP
        ? Math.max(
            0,
            2 * holder.claimBytes - holder.bytes(MemoryKind.SORT) - holder.bytes(MemoryKind.ROOM))
        : 0;
  }

  /** Memory of one application. Thread contract: its ledger's. */
  static final class Account {
    final String application;
    long sendBytes;
    long taskBytes; // of all its holders
    long movingBytes; // of sendBytes, ordered to be moved and not moved yet
    long unmovableBytes; // of sendBytes, for now
    long unmovableUntilMs;
    int holders;
    boolean ended;
    long expectedUntilMs = Long.MIN_VALUE; // that its first task comes
    boolean isExpected;

    Account(String application) {
      this.application = application;
    }

    long heldBytes() {
      return sendBytes + taskBytes;
    }

    /** Bytes of outputs that could be moved now and are not ordered to be. */
    long movableBytes() {
      return Math.max(0, sendBytes - movingBytes - unmovableBytes);
    }

    boolean isEmpty() {
      return !isExpected && holders == 0 && heldBytes() == 0 && movingBytes == 0;
    }
  }
}
