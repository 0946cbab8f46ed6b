package io.sluice.node.ledger;

import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Says who gives back when memory is short: what was received, then loans of sort buffers, then
 * outputs, and sort buffers within their claims last. A step is taken for what those before it
 * cannot bring. Notices are sent and never waited for: for an ask that waits, outputs are moved
 * although notices are out.
 *
 * <p>Thread contract: its ledger's.
 */
class TakingBack {
  private final Books books;
  private final Granting granting;
  private long moveIds;

  TakingBack(Books books, Granting granting) {
    this.books = books;
    this.granting = granting;
  }

  /** What is lacking, at one moment. */
  private final class Need {
    private final long nowMs;
    private final List<Order> orders;
    private final long levelBytes = books.levelBytes();

    Need(long nowMs, List<Order> orders) {
      this.nowMs = nowMs;
      this.orders = orders;
    }

    /** Of what these asks want beyond what is free for them. */
    long lackingBytes(Stream<Ask> asks) {
      long wantedBytes = 0;
      long keptBytes = 0;
      for (Ask ask : asks.toList()) {
        wantedBytes += ask.chargeBytes();
        keptBytes = Math.max(keptBytes, granting.keptBytes(ask, levelBytes));
      }
      return wantedBytes == 0 ? 0 : wantedBytes + keptBytes - books.freeBytes();
    }

    Stream<Ask> queued() {
      return books.queue.stream();
    }

    /** With those that were refused, but for loans, which take nothing from outputs. */
    Stream<Ask> wanted() {
      return Stream.concat(queued(), books.wants.values().stream().filter(ask -> !ask.loan()));
    }

    long expectedBytes() {
      return books.holders.values().stream().mapToLong(holder -> holder.expectedBytes(nowMs)).sum();
    }

    long revoke(Holder holder, Kind kind, long keepBytes) {
      long backBytes = holder.bytes(kind) - keepBytes;
      holder.notices.put(kind, new Holder.Notice(keepBytes, nowMs + books.terms.revokeMs()));
      holder.epoch++;
      books.revokedBytes.merge(kind, backBytes, Long::sum);
      orders.add(new Order.Revoke(holder.id, holder.epoch, kind, keepBytes));
      return backBytes;
    }
  }

  /** Decides, and counts on what it has ordered from then on. */
  final void decide(long nowMs, List<Order> orders) {
    Need need = new Need(nowMs, orders);
    takeBack(() -> received(need), () -> loans(need), () -> outputs(need), () -> claims(need));
    if (sharesLoans()) {
      shareLoans(need);
    }
  }

  /** Whether loans are called back for those who have less of them. */
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

  /** What notices must still bring. */
  private long recallBytes(Need need) {
    return need.lackingBytes(need.wanted()) - need.expectedBytes() - books.movingBytes();
  }

  private void received(Need need) {
    long leftBytes = recallBytes(need);
    if (leftBytes <= 0) {
      return; // each event comes here: nothing is sorted for those that lack nothing
    }
    boolean forReceive = need.wanted().allMatch(ask -> ask.kind() == Kind.RECEIVE);
    for (Holder holder : sorted(holder -> holder.account.heldBytes())) {
      long heldBytes = holder.bytes(Kind.RECEIVE);
      boolean fair = !forReceive || holder.account.heldBytes() > need.levelBytes;
      long keepBytes = Math.max(0, heldBytes - leftBytes);
      if (leftBytes > 0
          && fair
          && !isWaiting(holder) // who was refused can give back, however much more it wanted
          && holder.hasMoreThan(Kind.RECEIVE, keepBytes)
          && holder.notices.get(Kind.RECEIVE) == null) {
        leftBytes -= need.revoke(holder, Kind.RECEIVE, keepBytes);
      }
    }
  }

  private void loans(Need need) {
    long leftBytes = recallBytes(need);
    if (leftBytes <= 0) {
      return;
    }
    for (Holder holder : sorted(holder -> holder.bytes(Kind.SORT))) {
      long keepBytes = Math.max(holder.claimBytes, holder.bytes(Kind.SORT) - leftBytes);
      if (leftBytes > 0
          && !isAsking(holder)
          && holder.hasMoreThan(Kind.SORT, keepBytes)
          && holder.notices.get(Kind.SORT) == null) {
        leftBytes -= need.revoke(holder, Kind.SORT, keepBytes);
      }
    }
  }

  private void outputs(Need need) {
    if (!books.moverWorks) {
      return;
    }
    long movingBytes = books.movingBytes();
    List<Ask> queued = need.queued().filter(this::isMovedFor).toList();
    List<Ask> wanted = need.wanted().filter(this::isMovedFor).toList();
    long urgentBytes =
        Math.max(
            need.lackingBytes(queued.stream()) - movingBytes,
            need.lackingBytes(wanted.stream()) - need.expectedBytes() - movingBytes);
    move(
        need,
        urgentBytes,
        true,
        account -> wanted.stream().anyMatch(ask -> books.isMovedFor(ask, account)));
    move(
        need,
        books.keepFreeBytes() - books.freeBytes() - books.movingBytes(),
        false,
        books::isMovedForClaims);
  }

  /** Whether there is an application of which outputs are moved for it. */
  private boolean isMovedFor(Ask ask) {
    return books.accounts.values().stream().anyMatch(account -> books.isMovedFor(ask, account));
  }

  private void move(Need need, long bytes, boolean urgent, Predicate<Account> from) {
    long leftBytes = bytes;
    List<Account> furthestFirst =
        books.accounts.values().stream()
            .filter(from)
            .sorted(Comparator.comparingLong(Account::heldBytes).reversed())
            .toList();
    for (Account account : furthestFirst) {
      long partBytes = Math.min(leftBytes, account.movableBytes());
      if (partBytes > 0) {
        long moveId = moveIds++;
        account.movingBytes += partBytes;
        books.moves.put(moveId, new Books.Transfer(account, partBytes));
        need.orders.add(new Order.Move(moveId, account.application, partBytes, urgent));
        leftBytes -= partBytes;
      }
    }
  }

  /** What could be ordered to be moved for one of these, and has not been. */
  long movableBytes(List<Ask> asks) {
    return books.accounts.values().stream()
        .filter(account -> asks.stream().anyMatch(ask -> books.isMovedFor(ask, account)))
        .mapToLong(this::movableBytes)
        .sum();
  }

  private long movableBytes(Account account) {
    return books.moverWorks ? account.movableBytes() : 0;
  }

  private void claims(Need need) {
    // Who writes can write to disk, but for one that has asked everywhere.
    List<Ask> sorts =
        need.wanted()
            .filter(ask -> ask.kind() == Kind.SORT || ask.patience() == Patience.LAST)
            .toList();
    if (sorts.isEmpty()) {
      return;
    }
    for (Holder holder : sorted(holder -> holder.account.heldBytes())) {
      List<Ask> takers = sorts.stream().filter(ask -> mayTake(ask, holder)).toList();
      long lackingBytes =
          need.lackingBytes(takers.stream())
              - need.expectedBytes()
              - books.movingBytes()
              - movableBytes(takers);
      long keepBytes = books.sortShareBytes(holder.account);
      if (lackingBytes > 0 && holder.hasMoreThan(Kind.SORT, keepBytes)) {
        need.revoke(holder, Kind.SORT, keepBytes);
      }
    }
  }

  private boolean mayTake(Ask ask, Holder holder) {
    return ask.holder() != holder && (books.isMovedFor(ask, holder.account) || isLess(ask, holder));
  }

  /** Whether a task of the same application sorts in less, and there are no outputs instead. */
  private boolean isLess(Ask ask, Holder holder) {
    return ask.holder().account == holder.account
        && movableBytes(holder.account) == 0
        && ask.holder().bytes(Kind.SORT) < holder.bytes(Kind.SORT);
  }

  /** For one who is refused a loan and has less than its share: from those who have more. */
  private void shareLoans(Need need) {
    long leftBytes =
        books.wants.values().stream()
                .filter(books::isLoanBelowShare)
                .mapToLong(Ask::chargeBytes)
                .sum()
            - need.expectedBytes();
    if (leftBytes <= 0) {
      return;
    }
    for (Holder holder : sorted(holder -> holder.bytes(Kind.SORT))) {
      if (leftBytes <= 0) {
        return;
      }
      long keepBytes = Math.max(holder.claimBytes, books.sortShareBytes(holder.account));
      if (holder.hasMoreThan(Kind.SORT, keepBytes)) {
        leftBytes -= need.revoke(holder, Kind.SORT, keepBytes);
      }
    }
  }

  private boolean isAsking(Holder holder) {
    return books.wants.containsKey(holder.id) || isWaiting(holder);
  }

  private boolean isWaiting(Holder holder) {
    return books.queue.stream().anyMatch(ask -> ask.holder() == holder);
  }

  /** The holders, those with most first. */
  private List<Holder> sorted(ToLongFunction<Holder> by) {
    return books.holders.values().stream().sorted(Comparator.comparingLong(by).reversed()).toList();
  }
}
