package io.sluice.spark.pool;

import io.sluice.spark.pool.FreedShuffles.Attempt;
import java.io.IOException;
import org.apache.spark.storage.BlockManagerId;

/**
 * Where an executor's map tasks write: a pool of its own, or that of its node's service.
 *
 * <p>Thread contract: safe from any thread.
 */
public interface OutputTarget extends PoolGuard {
  /** An attempt at an output begins; when its shuffle is freed from now on, so is its output. */
  Attempt begin(int shuffleId);

  /** Opens the output of a map task; the caller closes what it gets. */
  MapOutput newOutput(Attempt attempt, long mapId, int partitionCount) throws IOException;

  /** The executor's address, with which readers find the pool. */
  BlockManagerId location(BlockManagerId executor);
}
