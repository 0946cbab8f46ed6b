package io.sluice.spark.pool;

import io.sluice.spark.pool.FreedShuffles.Attempt;
import io.sluice.spill.format.OutputId;
import java.io.IOException;
import org.apache.spark.storage.BlockManagerId;

/**
 * The pool that an executor's map tasks write to: the executor's own, or the pool of its node's
 * service.
 *
 * <p>Thread contract: safe from any thread.
 */
public interface OutputTarget {
  /**
   * An attempt at an output begins. If the output's shuffle is freed after this, the output is
   * freed when the attempt commits it.
   */
  Attempt begin(int shuffleId);

  /** Opens the output of a map task; the caller closes it. */
  MapOutput newOutput(Attempt attempt, long mapId, int partitionCount) throws IOException;

  /** The executor's address, extended by where readers find the pool. */
  BlockManagerId location(BlockManagerId executor);

  /** Runs an action that touches the pool's memory. The memory stays mapped until it ends. */
  default void whileOpen(Access access) throws IOException {
    access.run();
  }

  /** Touches the pool's memory. */
  interface Access {
    void run() throws IOException;
  }

  /**
   * An output calls this once it has committed. If its shuffle was freed since the attempt began,
   * this output is freed and no other, because Spark may have computed others again.
   */
  void committed(Attempt attempt, OutputId id, long lengthBytes) throws IOException;
}
