package io.sluice.rdma.transport.verbs;

/**
 * Whether a thread that waits for a read polls for completions before it sleeps. To sleep and to be
 * woken costs two threads some microseconds each, so it polls as long as reads end within {@link
 * #LIMIT_NANOS}. After each time in vain, more waits go without: one, two, four, and so on.
 *
 * <p>Thread contract: safe from any thread. A change that is lost between two threads only makes
 * one poll more or less.
 */
final class PollBudget {
  /** A thread polls no longer at a time; a read of 1 MiB at 100 Gbit/s takes half of it. */
  static final long LIMIT_NANOS = 200_000;

  static final int MOST_WITHOUT = 64;

  private volatile int afterVain = 1;
  private volatile int without;

  /** Whether this wait begins with polling. */
  boolean mayPoll() {
    int left = without;
    if (left > 0) {
      without = left - 1;
    }
    return left == 0;
  }

  /** Polling found what was waited for. */
  void found() {
    afterVain = 1;
  }

  /** Polling did not find it in time. */
  void vain() {
    without = afterVain;
    afterVain = Math.min(MOST_WITHOUT, 2 * afterVain);
  }
}
