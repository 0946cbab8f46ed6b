package io.sluice.rdma.memory;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads what is no memory, into memory of its own that it lends.
 *
 * <p>Thread contract: safe from any thread. Failure: {@link IOException}, within a deadline of its
 * own.
 */
public interface LendingReader {
  /** The bytes from an offset on: at least one of them, and at most {@code lengthBytes}. */
  LentBytes read(long offsetBytes, int lengthBytes) throws IOException;

  /**
   * Bytes in somebody else's memory, for as long as this is not closed.
   *
   * <p>Thread contract: one thread. Ownership: whoever gets it closes it, soon, because others wait
   * for the memory.
   */
  public interface LentBytes extends AutoCloseable {
    /** Off the heap, from the position to the limit; not to be touched after {@link #close}. */
    ByteBuffer bytes();

    /** Gives the memory back. */
    @Override
    void close();
  }
}
