package io.sluice.local.task;

/**
 * A wait for a thread, in looks of a second. Looks are counted, not time: a process that was
 * stopped, or whose machine slept, has looked once meanwhile.
 *
 * <p>Thread contract: the waiting thread's.
 */
public final class PolledWait {
  /** How often is looked. */
  public static final long LOOK_MS = 1_000;

  private long left;

  /**
   * So many as fit into a time.
   *
   * @param limitMs at least one look is made
   */
  public PolledWait(long limitMs) {
    this.left = limitMs / LOOK_MS + 1;
  }

  /** Waits until a thread has ended, or the next look is due; says whether it has ended. */
  public static boolean hasEnded(Thread thread) throws InterruptedException {
    thread.join(LOOK_MS);
    return !thread.isAlive();
  }

  /** Takes one of those that are left; says whether there was none. */
  public boolean areOver() {
    return left-- <= 0;
  }
}
