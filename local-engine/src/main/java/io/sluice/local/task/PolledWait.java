package io.sluice.local.task;

/**
 * Waits for a thread in polls of a second. It counts polls instead of time, so that a stopped
 * process or a sleeping machine counts as one poll.
 *
 * <p>Thread contract: for the waiting thread.
 */
public final class PolledWait {
  /** The time between polls. */
  public static final long POLL_MS = 1_000;

  private long left;

  /**
   * Allows the polls that fit into a time.
   *
   * @param limitMs time limit; at least one poll is made
   */
  public PolledWait(long limitMs) {
    this.left = limitMs / POLL_MS + 1;
  }

  /** Waits until a thread has ended or the next poll is due; returns whether it has ended. */
  public static boolean hasEnded(Thread thread) throws InterruptedException {
    thread.join(POLL_MS);
    return !thread.isAlive();
  }

  /** Counts a poll; returns whether the limit is exceeded. */
  public boolean isOver() {
    return left-- <= 0;
  }
}
