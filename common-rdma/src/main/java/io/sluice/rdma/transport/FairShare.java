package io.sluice.rdma.transport;

import java.util.HashMap;
import java.util.Map;

/**
 * A bounded number of places for those who share them: each may take one more while he has fewer
 * than {@value #OF_FREE} times as many as are free. So one who is alone may have three quarters of
 * them, and whoever comes next always finds some, without anybody's being sent away.
 *
 * <p>Whoever shares with nobody may have what is free.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class FairShare {
  private static final long OF_FREE = 3;

  private final int most;
  private final Map<Object, Integer> held = new HashMap<>(); // null's too
  private int taken;

  /** With all of so many places free. */
  public FairShare(int most) {
    this.most = most;
  }

  /**
   * Takes a place if there is one.
   *
   * @param sharer who has it, or null for one who shares with nobody
   */
  public synchronized boolean take(Object sharer) {
    int free = most - taken;
    if (free == 0 || sharer != null && held.getOrDefault(sharer, 0) >= OF_FREE * free) {
      return false;
    }
    held.merge(sharer, 1, Integer::sum); // first: it takes memory
    taken++;
    return true;
  }

  /** Gives one back. */
  public synchronized void giveBack(Object sharer) {
    taken--;
    if (held.merge(sharer, -1, Integer::sum) == 0) {
      held.remove(sharer);
    }
  }

  /** How many each has that has some; those of who shares with nobody are null's. */
  public synchronized Map<Object, Integer> held() {
    return new HashMap<>(held);
  }

  /** How many are taken. */
  public synchronized int taken() {
    return taken;
  }
}
