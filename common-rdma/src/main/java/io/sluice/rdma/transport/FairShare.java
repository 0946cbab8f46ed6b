package io.sluice.rdma.transport;

import java.util.HashMap;
import java.util.Map;

/**
 * A bounded number of places that sharers divide fairly. A sharer may take one more while it holds
 * fewer than {@value #OF_FREE} times the free ones. So a single sharer can hold three quarters, and
 * the next one still finds some, without a revocation.
 *
 * <p>A connection without a sharer may take any free place. {@link FairBudget} divides amounts, and
 * lets requests wait.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class FairShare {
  private static final long OF_FREE = 3;

  private final int most;
  private final Map<Object, Integer> held = new HashMap<>(); // null is a key, too
  private int taken;

  /** Creates {@code most} free places. */
  public FairShare(int most) {
    this.most = most;
  }

  /**
   * Takes a place if the sharer may have one.
   *
   * @param sharer the holder, or null for a connection without a sharer
   */
  public synchronized boolean take(Object sharer) {
    int free = most - taken;
    if (free == 0 || sharer != null && held.getOrDefault(sharer, 0) >= OF_FREE * free) {
      return false;
    }
    held.merge(sharer, 1, Integer::sum); // first, because it may fail for want of memory
    taken++;
    return true;
  }

  /** Returns a place. */
  public synchronized void giveBack(Object sharer) {
    taken--;
    if (held.merge(sharer, -1, Integer::sum) == 0) {
      held.remove(sharer);
    }
  }

  /** The places of each sharer that holds any; null stands for connections without a sharer. */
  public synchronized Map<Object, Integer> held() {
    return new HashMap<>(held);
  }

  /** The number of taken places. */
  public synchronized int taken() {
    return taken;
  }
}
