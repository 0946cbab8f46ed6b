package io.sluice.spill.store;

import java.io.IOException;

/**
 * Bytes on their way to the disk tier, which stay as they are until they have arrived.
 *
 * <p>Thread contract: any thread. Ownership: the caller that began it awaits it, at least once,
 * before the memory of the bytes is used for anything else. Failure: as {@link ExtentSource#write}
 * says.
 */
@FunctionalInterface
public interface PendingWrite {
  /** Of bytes that have arrived. */
  PendingWrite DONE = () -> {};

  /** Returns when they are there. */
  void await() throws IOException;
}
