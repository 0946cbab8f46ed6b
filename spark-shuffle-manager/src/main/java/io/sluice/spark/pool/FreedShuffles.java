package io.sluice.spark.pool;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The shuffles that were freed last: attempts that did not hear of it in time may still commit.
 *
 * <p>Thread contract: safe from any thread. It forgets the oldest beyond some thousands.
 */
public final class FreedShuffles {
  private static final int MOST = 10_000;

  private final Set<Integer> ids = new LinkedHashSet<>();

  /** One more. */
  public synchronized void add(int shuffleId) {
    ids.add(shuffleId);
    if (ids.size() > MOST) {
      ids.remove(ids.iterator().next());
    }
  }

  /** Whether it is one of them. */
  public synchronized boolean contains(int shuffleId) {
    return ids.contains(shuffleId);
  }
}
