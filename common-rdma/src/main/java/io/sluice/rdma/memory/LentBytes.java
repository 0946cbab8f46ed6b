package io.sluice.rdma.memory;

import java.nio.ByteBuffer;

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
