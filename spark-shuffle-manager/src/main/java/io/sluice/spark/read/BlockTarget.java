package io.sluice.spark.read;

import java.io.IOException;
import org.apache.spark.network.buffer.ManagedBuffer;

/**
 * Receives the bytes of a fetched block.
 *
 * <p>Thread contract: one thread. Ownership: the fetch that opens it calls {@link #done} or {@link
 * #abandon} once. Failure: {@link IOException} if there is no space.
 */
interface BlockTarget {
  /** Opens a target for a block. */
  interface Opener {
    /** Opens a target of that length. */
    BlockTarget open(BlockRange block, long lengthBytes) throws IOException;
  }

  /** Appends the next bytes. */
  void write(byte[] bytes, int lengthBytes) throws IOException;

  /** Ends the block; the caller releases the buffer. */
  ManagedBuffer done() throws IOException;

  /** Frees the target of a block that failed; never throws. */
  void abandon();
}
