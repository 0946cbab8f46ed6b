package io.sluice.node.ledger;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Says who gets memory, and who may wait for some: nobody waits for what only a task could give,
 * unless it has nowhere else to go.
 *
 * <p>Thread contract: its ledger's.
 */
class Granting {
  private final Books books;
  private long asks;

  Granting(Books books) {
    this.books = books;
  }

  final Books books() {
    return books;
  }

  /** What the runs of so much in a sort buffer may take. */
  long roomFor(long sortBytes) {
    return sortBytes;
  }

  /** What the service frees for it without the help of any task. */
  long comingBytes(Ask ask) {
    return books.moverWorks
        ? books.accounts.values().stream()
            .filter(account -> books.isMovedFor(ask, account))
            .mapToLong(account -> account.sendBytes - account.unmovableBytes)
            .sum()
        : 0;
  }

  /** Longest wait of one that is so patient. */
  long waitMs(Patience patience) {
    return switch (patience) {
      case NONE -> 0;
      case COMING -> books.terms.waitMs();
      case LAST -> books.terms.revokeMs();
    };
  }

  /**
   * Whether a holder is granted anything but its own room, and what it has nowhere else to write
   * to: to write may be how it obeys.
   */
  boolean isServed(Holder holder, long nowMs) {
    return !holder.isLate(nowMs);
  }

  /** Takes an ask, and answers it if it is not to wait. */
  final void ask(
      Holder holder,
      Kind kind,
      long bytes,
      Patience patience,
      long untilMs,
      long nowMs,
      List<Order> orders) {
    long hasBytes = kind == Kind.WRITING ? Math.min(holder.bytes(Kind.ROOM), bytes) : 0;
    if (hasBytes > 0) {
      books.convert(holder, Kind.ROOM, Kind.WRITING, hasBytes);
      books.grantedBytes.merge(Kind.WRITING, hasBytes, Long::sum);
    }
    long moreBytes = bytes - hasBytes;
    if (moreBytes == 0) {
      orders.add(new Order.Answer(holder.id, bytes));
      return;
    }
    long sortBytes = holder.bytes(Kind.SORT) + bytes;
    boolean sort = kind == Kind.SORT;
    Ask ask =
        new Ask(
            asks++,
            holder,
            kind,
            moreBytes,
            sort ? bytes + Math.max(0, roomFor(sortBytes) - holder.bytes(Kind.ROOM)) : moreBytes,
            hasBytes,
            sort && sortBytes > holder.claimBytes,
            patience,
            Math.min(untilMs, nowMs + waitMs(patience)));
    boolean late = patience != Patience.LAST && !isServed(holder, nowMs);
    if (holder.account.ended || late) {
      answer(ask, 0, orders);
      return;
    }
    books.queue.add(ask);
    serve(nowMs, orders);
  }

  /** Grants what can be granted, in order, and refuses what would wait in vain or for too long. */
  final void serve(long nowMs, List<Order> orders) {
    boolean changed;
    do { // who is refused may have kept others from what is free
      changed = grantFirst(orders) || refuseFirst(nowMs, orders);
    } while (changed);
  }

  private boolean refuseFirst(long nowMs, List<Order> orders) {
    for (Ask ask : inOrder()) {
      if (nowMs >= ask.untilMs() || !mayWait(ask, nowMs)) {
        refuse(ask, nowMs, orders);
        return true;
      }
    }
    return false;
  }

  /** By rank; then who has least: the application, then the task. */
  private List<Ask> inOrder() {
    return books.queue.stream()
        .sorted(
            Comparator.comparingInt(Ask::rank)
                .thenComparingLong(ask -> ask.holder().account.heldBytes())
                .thenComparingLong(ask -> ask.holder().heldBytes())
                .thenComparingLong(Ask::number))
        .toList();
  }

  private boolean grantFirst(List<Order> orders) {
    if (books.queue.isEmpty()) {
      return false;
    }
    long levelBytes = books.levelBytes();
    for (Ask ask : inOrder()) {
      if (isBarred(ask, levelBytes)) {
        continue; // it keeps nobody waiting
      }
      if (usableBytes(ask, levelBytes) >= ask.chargeBytes()) {
        books.queue.remove(ask);
        grant(ask, orders);
        return true;
      }
      if (!ask.loan()) {
        return false; // those behind must not take what it waits for
      }
    }
    return false;
  }

  /** Whether others, who do not have theirs, come first because it has its share. */
  private boolean isBarred(Ask ask, long levelBytes) {
    Account account = ask.holder().account;
    if (account.heldBytes() > levelBytes
        && books.queue.stream()
            .map(other -> other.holder().account)
            .anyMatch(other -> other != account && other.heldBytes() <= levelBytes)) {
      return true;
    }
    return ask.loan()
        && ask.holder().bytes(Kind.SORT) + ask.bytes() > books.sortShareBytes(account)
        && books.wants.values().stream()
            .anyMatch(other -> other.holder() != ask.holder() && books.isLoanBelowShare(other));
  }

  /** What of the free memory is not for it, but for those who have less, or for claims. */
  final long keptBytes(Ask ask, long levelBytes) {
    boolean below = ask.holder().account.heldBytes() + ask.chargeBytes() <= levelBytes;
    boolean all = below && (mayHaveLast(ask) || isAlone(ask.holder().account));
    long keptBytes = all ? 0 : books.reservedBytes();
    return ask.loan()
        ? Math.max(keptBytes, books.keepFreeBytes()) + books.ownRunsBytes(ask.holder().account)
        : keptBytes;
  }

  private long usableBytes(Ask ask, long levelBytes) {
    return books.freeBytes() - keptBytes(ask, levelBytes);
  }

  /**
   * Whether the last can be granted to it, and is not lost for long with one that ignores all. Who
   * has nowhere else to go would fail, so what is kept would help nobody.
   */
  boolean mayHaveLast(Ask ask) {
    Holder holder = ask.holder();
    return ask.patience() == Patience.LAST
        || (holder.obeys() && ask.kind() != Kind.WRITING) // which nobody can be told to give back
        || holder.heldBytes() + ask.chargeBytes() <= books.reservedBytes();
  }

  /**
   * Whether there is nobody whom something could be kept for; and as much of it could be moved for
   * who comes.
   */
  boolean isAlone(Account account) {
    return books.moverWorks
        && account.movableBytes() >= books.reservedBytes()
        && books.accounts.values().stream().allMatch(other -> other == account || other.isEmpty());
  }

  /** Whether what is coming is enough for it and for all before it. */
  private boolean mayWait(Ask ask, long nowMs) {
    if (ask.loan() || ask.patience() == Patience.NONE) {
      return false;
    }
    long levelBytes = books.levelBytes();
    long aheadBytes = 0;
    long keptBytes = 0; // one before it that waits for more than is kept would keep it waiting
    for (Ask before : inOrder()) {
      aheadBytes += before.chargeBytes();
      keptBytes = Math.max(keptBytes, keptBytes(before, levelBytes));
      if (before == ask) {
        break;
      }
    }
    long comingBytes = books.freeBytes() - keptBytes + comingBytes(ask);
    if (ask.patience() == Patience.LAST) {
      return aheadBytes <= comingBytes + recallableBytes(ask.holder(), nowMs);
    }
    return aheadBytes <= comingBytes && !hasItsShare(ask);
  }

  /** A writer with more than its share writes to disk while memory is short. */
  private boolean hasItsShare(Ask ask) {
    Holder holder = ask.holder();
    return ask.kind() == Kind.WRITING
        && holder.bytes(Kind.SORT) + holder.bytes(Kind.WRITING)
            > 2 * books.sortShareBytes(holder.account);
  }

  /** What others could be told to give back. */
  long recallableBytes(Holder asker, long nowMs) {
    return books.holders.values().stream()
        .filter(holder -> holder != asker && !holder.isLate(nowMs))
        .mapToLong(
            holder ->
                holder.bytes(Kind.RECEIVE)
                    + Math.max(0, holder.bytes(Kind.SORT) - holder.claimBytes))
        .sum();
  }

  private void grant(Ask ask, List<Order> orders) {
    Holder holder = ask.holder();
    books.charge(holder, ask.kind(), ask.bytes());
    if (ask.chargeBytes() > ask.bytes()) {
      books.charge(holder, Kind.ROOM, ask.chargeBytes() - ask.bytes());
    }
    books.wants.remove(holder.id);
    answer(ask, ask.bytes(), orders);
  }

  private void refuse(Ask ask, long nowMs, List<Order> orders) {
    books.queue.remove(ask);
    books.wants.put(
        ask.holder().id,
        new Ask(
            ask.number(),
            ask.holder(),
            ask.kind(),
            ask.bytes(),
            ask.chargeBytes(),
            ask.hasBytes(),
            ask.loan(),
            ask.patience(),
            nowMs + books.terms.wantMs()));
    answer(ask, 0, orders);
  }

  private void answer(Ask ask, long grantedBytes, List<Order> orders) {
    Map<Kind, Long> counts = grantedBytes > 0 ? books.grantedBytes : books.refusals;
    counts.merge(ask.kind(), grantedBytes > 0 ? grantedBytes : 1, Long::sum);
    orders.add(new Order.Answer(ask.holder().id, ask.hasBytes() + grantedBytes));
  }
}
