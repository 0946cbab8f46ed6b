package io.sluice.rdma.transport.verbs;

import java.util.function.LongSupplier;

/**
 * How long a thread polls for completions before it sleeps. Waking it costs some microseconds, so
 * polling pays if the next completion comes sooner, also of a read that is not posted yet. The time
 * doubles when polling finds one, and halves when it does not.
 *
 * <p>Thread contract: one thread.
 */
final class PollBudget {
  static final long LEAST_NANOS = 1_000;
  static final long MOST_NANOS = 32_000;

  private final LongSupplier nanoClock;
  private long budgetNanos = LEAST_NANOS;
  private long sinceNanos;
  private boolean polling;

  /** Polls for a short time at first, by a clock in the manner of {@link System#nanoTime}. */
  PollBudget(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** A poll found completions. */
  void found() {
    if (polling) {
      budgetNanos = Math.min(MOST_NANOS, 2 * budgetNanos);
      polling = false;
    }
  }

  /** A poll found nothing; returns whether to poll again, instead of sleeping. */
  boolean mayPollAgain() {
    long nowNanos = nanoClock.getAsLong();
    if (!polling) {
      polling = true;
      sinceNanos = nowNanos;
    }
    if (nowNanos - sinceNanos < budgetNanos) {
      Thread.onSpinWait();
      return true;
    }
    polling = false;
    budgetNanos = Math.max(LEAST_NANOS, budgetNanos / 2);
    return false;
  }
}
