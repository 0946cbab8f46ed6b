package io.sluice.spark.pool;

import io.sluice.spark.pool.FreedShuffles.Attempt;
import io.sluice.spill.format.OutputId;
import java.io.IOException;

/**
 * What an output that is being written asks of its pool: that the memory stays while it is touched,
 * and that nothing of a freed shuffle stays.
 *
 * <p>Thread contract: safe from any thread.
 */
public interface PoolGuard {
  /** Does something with the pool's memory, which stays until that is done. */
  default void whileOpen(Access access) throws IOException {
    access.run();
  }

  /** Touches the pool's memory. */
  interface Access {
    void run() throws IOException;
  }

  /**
   * Called by an output that has just been committed, with its length. If its shuffle was freed
   * since the attempt began, it is freed, and no other: others may have been computed again.
   */
  void committed(Attempt attempt, OutputId id, long lengthBytes) throws IOException;
}
