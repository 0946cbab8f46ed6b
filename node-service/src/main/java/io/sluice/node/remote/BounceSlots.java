package io.sluice.node.remote;

import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import java.io.IOException;

/**
 * The bounce slots that one reader holds.
 *
 * <p>Thread contract: one thread. Ownership: the reader's conversation closes it, which gives back
 * every slot; a reader that dies therefore leaks none.
 */
public interface BounceSlots extends AutoCloseable {
  /** Slots that one reader may hold at once. */
  int MAX_PER_READER = 4;

  /** No reader waits longer for a free slot. */
  int MAX_WAIT_MS = 1_000;

  /**
   * Copies a part of a run into a slot. Waits for one only while the reader holds none: a reader
   * that waits and holds a slot would keep it from others that wait.
   *
   * @throws RemoteError {@code BUSY} if no slot is free or the reader holds its share, {@code
   *     REFUSED} for an output that is not there or a transport that has no slots
   * @throws IllegalArgumentException for bytes that the run does not have
   */
  BounceRange bounce(BounceRequest request) throws IOException;

  /**
   * Gives a slot back.
   *
   * @throws ProtocolException if the reader does not hold it
   */
  void release(long ticket) throws ProtocolException;

  @Override
  void close();
}
