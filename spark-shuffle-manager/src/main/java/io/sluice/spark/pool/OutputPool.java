package io.sluice.spark.pool;

import java.io.IOException;
import org.apache.spark.storage.BlockManagerId;

/**
 * Where an executor's map tasks write: a pool of its own, or that of its node's service.
 *
 * <p>Thread contract: safe from any thread.
 */
public interface OutputPool {
  /** Begins the output of a map task; the caller closes what it gets. */
  PoolOutput newOutput(int shuffleId, long mapId, int partitionCount) throws IOException;

  /** The executor's address, with which readers find the pool. */
  BlockManagerId location(BlockManagerId executor);

  /** Does something with the pool's memory, which stays until that is done. */
  default void whileOpen(Access access) throws IOException {
    access.run();
  }

  /** Touches the pool's memory. */
  interface Access {
    void run() throws IOException;
  }

  /** Called by an output of a map task that has just been committed, with its length. */
  void committed(int shuffleId, long lengthBytes) throws IOException;
}
