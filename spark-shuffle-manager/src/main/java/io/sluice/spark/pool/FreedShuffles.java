package io.sluice.spark.pool;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which shuffles were freed since an attempt at an output began: what it commits after that nobody
 * would free. What begins later counts, because Spark may remove the outputs of a shuffle, with a
 * query that has ended, and compute them again for another job.
 *
 * <p>Thread contract: safe from any thread. It forgets the oldest beyond some thousands.
 */
public final class FreedShuffles {
  private static final int MOST = 10_000;

  private final Map<Integer, Long> frees = new LinkedHashMap<>();
  private long count;

  /** An attempt at an output, and how many shuffles had been freed before it. */
  public record Attempt(int shuffleId, long freesBefore) {}

  /** An attempt begins now. */
  public synchronized Attempt begin(int shuffleId) {
    return new Attempt(shuffleId, count);
  }

  /** One more is freed. */
  public synchronized void add(int shuffleId) {
    count++;
    frees.remove(shuffleId); // else it would keep its old place among the oldest
    frees.put(shuffleId, count);
    if (frees.size() > MOST) {
      frees.remove(frees.keySet().iterator().next());
    }
  }

  /** Whether its shuffle was freed after it had begun. */
  public synchronized boolean isFreed(Attempt attempt) {
    Long free = frees.get(attempt.shuffleId());
    return free != null && free > attempt.freesBefore();
  }
}
