package io.sluice.spark.read;

import java.io.IOException;
import org.apache.spark.network.buffer.ManagedBuffer;

/**
 * Where the bytes of a fetched block go.
 *
 * <p>Thread contract: one thread. Ownership: whoever opens it calls {@link #done} or {@link
 * #abandon} once. Failure: {@link IOException} where there is no room.
 */
interface BlockTarget {
  /** Opens one for a block. */
  interface Opener {
    /** For so many bytes. */
    BlockTarget open(BlockRange block, long lengthBytes) throws IOException;
  }

  /** Takes the next bytes. */
  void write(byte[] bytes, int lengthBytes) throws IOException;

  /** All are there; the caller releases what it gets. */
  ManagedBuffer done() throws IOException;

  /** Gives back what it holds; never throws. */
  void abandon();
}
