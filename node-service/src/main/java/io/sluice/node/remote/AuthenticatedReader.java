package io.sluice.node.remote;

import io.sluice.node.wire.HeapBudget;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.transport.Ticket;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;

/**
 * What one authenticated reader may use.
 *
 * <p>Thread contract: one thread. Ownership: the reader's conversation closes it.
 */
public interface AuthenticatedReader extends AutoCloseable {
  /**
   * The reader's user, if users share connections as {@link io.sluice.rdma.transport.FairShare}
   * says; else null.
   */
  Object sharer();

  /** Where each transport serves its application, preferred first. */
  List<TransportOffer> offers();

  /**
   * Expects one data connection of this reader.
   *
   * @param from the addresses that it may come from
   * @throws RemoteError BUSY if the transport takes no further one now
   */
  Ticket expect(String transport, Set<InetAddress> from) throws RemoteError;

  /**
   * Bytes of the heap for a request of its and the answer to it.
   *
   * @throws RemoteError BUSY if its user or all others hold too much of it now
   */
  HeapBudget.Held heap(long bytes) throws RemoteError;

  /** Its bounce slots, which are given back when this is closed. */
  BounceSlots slots();

  @Override
  void close();
}
