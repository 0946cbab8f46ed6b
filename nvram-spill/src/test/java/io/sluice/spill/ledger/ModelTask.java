package io.sluice.spill.ledger;

import io.sluice.spill.ledger.GrantTerms.WaitLimit;
import io.sluice.spill.ledger.Holding.HolderRole;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/** A task of a {@link LedgerModel}: asks, holds and gives back, and knows what it holds. */
abstract class ModelTask {
  /** How a task takes notices. */
  enum Hearing {
    /** After a moment. */
    GOOD,
    /** It has a listener and never obeys. */
    DEAF,
    /** It has no listener. */
    NONE
  }

  final LedgerModel model;
  final Holding.HolderId who;
  final Hearing hearing;
  final Map<MemoryKind, Long> held = new EnumMap<>(MemoryKind.class);
  final Map<MemoryKind, Told> told = new EnumMap<>(MemoryKind.class);
  long id;
  boolean alive;
  long ownSortBytes; // counted in no ledger
  boolean frozen; // stopped by a signal, and not ended
  Waiting waiting;
  Waiting refused; // the last that was, if it has been granted nothing since
  long refusedAtMs = Long.MIN_VALUE / 2;
  long loanRefusedAtMs = Long.MIN_VALUE / 2;
  long startedMs;
  long allowedMs; // for all that it has to do
  private boolean busy;
  private boolean hasPromised;

  record Told(long keepBytes, long atMs) {}

  record Waiting(
      MemoryKind kind,
      long bytes,
      long chargeBytes,
      WaitLimit patience,
      long sinceMs,
      boolean late,
      boolean loan,
      LongConsumer then) {}

  ModelTask(LedgerModel model, String application, HolderRole role, Hearing hearing) {
    this.model = model;
    this.who = new Holding.HolderId("user", application, "task-" + model.names++, role);
    this.hearing = hearing;
  }

  final long held(MemoryKind kind) {
    return held.getOrDefault(kind, 0L);
  }

  final void start() {
    alive = true;
    startedMs = model.time.nowMs();
    model.join(this);
    work();
  }

  /** What it does first. */
  abstract void work();

  /** Gives back down to what it was told, and calls then. */
  abstract void obey(MemoryKind kind, Runnable then);

  /** Does something in a while, unless it is ended by then. */
  final void in(long ms, Runnable what) {
    allowedMs += ms;
    model.time.in(ms, () -> doNow(what));
  }

  private void doNow(Runnable what) {
    if (!alive || frozen) {
      return;
    }
    if (busy) {
      model.time.in(5, () -> doNow(what));
      allowedMs += 5;
    } else {
      what.run();
    }
  }

  final void ask(
      MemoryKind kind, long bytes, long chargeBytes, WaitLimit patience, LongConsumer then) {
    long nowMs = model.time.nowMs();
    boolean late = isLate(nowMs);
    allowedMs +=
        100
            + switch (patience) {
              case NONE -> 0;
              case COMING -> model.terms.waitMs();
              case LAST -> model.terms.revokeMs();
            };
    boolean loan = kind == MemoryKind.SORT && held(kind) + bytes > model.claimBytes(this);
    waiting = new Waiting(kind, bytes, chargeBytes, patience, nowMs, late, loan, then);
    busy = true;
    List<MemoryAction> orders = model.ledger.ask(id, kind, bytes, patience, nowMs);
    if (orders.stream().noneMatch(order -> isAnswer(order))) {
      held.merge(kind, promisedBytes(), Long::sum); // while it waits for the rest
      hasPromised = true;
    }
    model.apply(orders);
  }

  /**
   * Asks for memory to write to, and once more as the last resort if the disk has no room for the
   * rest. Ends if that has not helped, as a task that finds every tier full.
   *
   * @param restToDisk says, of what it got, whether the disk has taken the rest
   */
  final void write(long bytes, long chargeBytes, LongPredicate restToDisk, LongConsumer then) {
    write(
        bytes,
        chargeBytes,
        model.disk.exists() ? WaitLimit.COMING : WaitLimit.LAST,
        restToDisk,
        then);
  }

  private void write(
      long bytes,
      long chargeBytes,
      WaitLimit patience,
      LongPredicate restToDisk,
      LongConsumer then) {
    ask(
        MemoryKind.WRITING,
        bytes,
        chargeBytes,
        patience,
        got -> {
          if (restToDisk.test(got)) {
            then.accept(got);
          } else if (patience == WaitLimit.LAST || bytes > model.ledger.stats().capacityBytes()) {
            leave();
          } else {
            giveBack(MemoryKind.WRITING, got); // as a lease that does not come about
            write(bytes, chargeBytes, WaitLimit.LAST, restToDisk, then);
          }
        });
  }

  final boolean isLate(long nowMs) {
    return told.values().stream().anyMatch(t -> nowMs >= t.atMs() + model.terms.revokeMs());
  }

  private boolean isAnswer(MemoryAction order) {
    return order instanceof MemoryAction.Answer answer && answer.holderId() == id;
  }

  /** What it has of its room although it waits for more. */
  private long promisedBytes() {
    return waiting.kind() == MemoryKind.WRITING ? waiting.bytes() - waiting.chargeBytes() : 0;
  }

  final void answered(long bytes) {
    Waiting was = waiting;
    if (hasPromised) {
      held.merge(was.kind(), -promisedBytes(), Long::sum);
      hasPromised = false;
    }
    waiting = null;
    refused = null;
    if (bytes < was.bytes()) { // in part, where it had room
      refused = was;
      refusedAtMs = model.time.nowMs();
      loanRefusedAtMs = was.loan() ? refusedAtMs : loanRefusedAtMs;
    }
    if (was.patience() == WaitLimit.LAST && bytes < was.bytes()) {
      model.checkLastResort(this, was);
    }
    Property.LATE.check(!was.late() || bytes == 0 || was.kind() == MemoryKind.WRITING, () -> this);
    held.merge(was.kind(), bytes, Long::sum);
    model.time.in(
        0,
        () -> {
          busy = false;
          if (alive && !frozen) {
            was.then().accept(bytes);
          }
        });
  }

  final void heard(MemoryKind kind, long keepBytes) {
    told.put(kind, new Told(keepBytes, model.time.nowMs()));
    if (hearing == Hearing.GOOD) {
      in(
          model.random.nextInt(200),
          () -> {
            if (told.get(kind) != null) {
              busy = true;
              obey(kind, () -> busy = false);
            }
          });
    }
  }

  final void giveBack(MemoryKind kind, long bytes) {
    held.merge(kind, -bytes, Long::sum);
    forgetObeyed(kind);
    model.apply(model.ledger.giveBack(id, kind, bytes, model.time.nowMs()));
  }

  private void forgetObeyed(MemoryKind kind) {
    Told was = told.get(kind);
    if (was != null && held(kind) <= was.keepBytes()) {
      told.remove(kind);
    }
  }

  final void commit() {
    long bytes = held(MemoryKind.WRITING);
    held.put(MemoryKind.WRITING, 0L);
    model.committed(this, bytes);
  }

  final void leave() {
    if (alive) {
      alive = false;
      waiting = null;
      model.left(this);
    }
  }

  @Override
  public String toString() {
    return who.task()
        + " of "
        + who.application()
        + " since "
        + startedMs
        + " at "
        + model.time.nowMs()
        + " holds "
        + held
        + " told "
        + told
        + " waits "
        + waiting;
  }
}
