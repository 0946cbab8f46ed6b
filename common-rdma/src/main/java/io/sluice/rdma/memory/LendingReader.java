package io.sluice.rdma.memory;

import java.io.IOException;

/**
 * Reads what is no memory, into memory of its own that it lends.
 *
 * <p>Thread contract: safe from any thread. Failure: {@link IOException}, within a deadline of its
 * own.
 */
public interface LendingReader {
  /** The bytes from an offset on: at least one of them, and at most {@code lengthBytes}. */
  LentBytes read(long offsetBytes, int lengthBytes) throws IOException;
}
