package io.sluice.spark.pool;

import io.sluice.spill.store.CommittedOutput;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Copies bytes of outputs out of this executor's pool, while that is open.
 *
 * <p>Thread contract: safe from any thread.
 */
interface OutputCopier {
  /**
   * Fills {@code destination}, whose position is 0, with bytes of an output, wherever they lie now.
   *
   * @return the output as it is now, to ask for its next bytes with
   * @throws IOException if it was freed or replaced before that was done, or the pool is closed
   */
  CommittedOutput copy(CommittedOutput output, long logicalOffsetBytes, ByteBuffer destination)
      throws IOException;
}
