package io.sluice.spark.pool;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers which shuffles were freed. The output of an attempt that began before is freed when the
 * attempt commits it, because nothing else would free it. Outputs of later attempts stay: Spark may
 * remove a shuffle's outputs at the end of a query, and compute them again for another job.
 *
 * <p>Thread contract: safe from any thread. It forgets the oldest beyond 10,000 shuffles.
 */
public final class FreedShuffles {
  private static final int MOST = 10_000;

  private final Map<Integer, Long> frees = new LinkedHashMap<>();
  private long count;

  /** An attempt at an output, and the number of shuffles that had been freed before it. */
  public record Attempt(int shuffleId, long freesBefore) {}

  /** An attempt begins now. */
  public synchronized Attempt begin(int shuffleId) {
    return new Attempt(shuffleId, count);
  }

  /** A shuffle is freed now. */
  public synchronized void add(int shuffleId) {
    count++;
    frees.remove(shuffleId); // the map keeps the order of first insertion
    frees.put(shuffleId, count);
    if (frees.size() > MOST) {
      frees.remove(frees.keySet().iterator().next());
    }
  }

  /** Whether the attempt's shuffle was freed after the attempt began. */
  public synchronized boolean isFreed(Attempt attempt) {
    Long free = frees.get(attempt.shuffleId());
    return free != null && free > attempt.freesBefore();
  }
}
