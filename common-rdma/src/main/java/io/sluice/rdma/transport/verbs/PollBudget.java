package io.sluice.rdma.transport.verbs;

/**
 * How long a thread polls for completions before it sleeps. Waking it costs some microseconds, so
 * polling pays if the next completion comes sooner. The time doubles when polling finds one, and
 * halves when it does not.
 *
 * <p>Thread contract: one thread.
 */
final class PollBudget {
  private static final long LEAST_NANOS = 1_000;
  private static final long MOST_NANOS = 32_000;

  private long budgetNanos = LEAST_NANOS;
  private long sinceNanos;
  private boolean polling;

  /** A poll found completions. */
  void found() {
    if (polling) {
      budgetNanos = Math.min(MOST_NANOS, 2 * budgetNanos);
      polling = false;
    }
  }

  /**
   * A poll found nothing.
   *
   * @param busy whether anything is posted
   * @return whether to poll again, instead of sleeping
   */
  boolean mayPollAgain(boolean busy) {
    long nowNanos = System.nanoTime();
    if (!polling) {
      polling = true;
      sinceNanos = nowNanos;
    }
    if (busy && nowNanos - sinceNanos < budgetNanos) {
      Thread.onSpinWait();
      return true;
    }
    polling = false;
    if (busy) {
      budgetNanos = Math.max(LEAST_NANOS, budgetNanos / 2);
    }
    return false;
  }
}
