package io.sluice.rdma.memory;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads bytes that lie on a device, not in memory, into its own memory, and lends that to the
 * caller.
 *
 * <p>Thread contract: safe from any thread. Failure: {@link IOException}, within the reader's own
 * deadline.
 */
public interface LendingReader {
  /** Reads from an offset on, at least one byte and at most {@code lengthBytes}. */
  LentBytes read(long offsetBytes, int lengthBytes) throws IOException;

  /**
   * Bytes in the reader's memory; valid until this is closed.
   *
   * <p>Thread contract: one thread. Ownership: the caller of {@link LendingReader} closes it soon,
   * because others wait for the memory.
   */
  public interface LentBytes extends AutoCloseable {
    /** The bytes, outside the heap, from position to limit; not to be used after {@link #close}. */
    ByteBuffer bytes();

    /** Returns the memory. */
    @Override
    void close();
  }
}
