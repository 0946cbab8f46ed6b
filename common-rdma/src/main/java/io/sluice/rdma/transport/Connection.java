package io.sluice.rdma.transport;

import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.TransportException.ReadTimeoutException;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
import java.util.concurrent.CompletableFuture;

/**
 * A connection for reads of one server's registered memory.
 *
 * <p>The contract, checked for every provider by {@code TransportContractTest}:
 *
 * <ul>
 *   <li>Many reads may be in flight at once, and may complete in any order.
 *   <li>A read completes normally only when every byte has arrived; there are no short reads.
 *   <li>The future of each read completes by its deadline, normally or with a {@link
 *       TransportException}.
 *   <li>After the future is done, the destination is not written again. A provider that cannot
 *       cancel a transfer closes the connection first, so <em>a read that times out costs the
 *       connection</em>. That read fails with {@link ReadTimeoutException}, the others with {@link
 *       ConnectionLostException}.
 *   <li>The destination is held (see {@link RegisteredBuffer}) until just before the future is
 *       done.
 *   <li>A range outside the region, a wrong key and a deregistered region fail with {@link
 *       RemoteAccessException}. A range outside the destination is a mistake of the caller and
 *       throws {@link IndexOutOfBoundsException} at once.
 *   <li>A NIC that refuses a read breaks the connection without a reason; the read then fails with
 *       {@link ConnectionLostException} instead.
 *   <li>Whether the connection survives a {@link RemoteAccessException} depends on the provider (a
 *       NIC's queue pair does not): ask {@link #isOpen}.
 *   <li>A read of no bytes completes normally and writes nothing; a provider may or may not send a
 *       request for it.
 *   <li>The loss of the peer fails outstanding reads with {@link ConnectionLostException}; later
 *       reads fail at once in the same way.
 *   <li>{@link #close} is idempotent and fails outstanding reads. When it returns, every future is
 *       done, unless a read's callback called it.
 *   <li>Callbacks on the futures run on the provider's thread, or on one that waits for a read of
 *       the same connection. They may read on and close the connection. They must not block,
 *       because they delay the other reads of the connection.
 * </ul>
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller that connected closes it.
 */
public interface Connection extends AutoCloseable {
  /**
   * Reads a range of a remote region into registered local memory; without the remote CPU if the
   * provider can.
   *
   * @param remote the region's descriptor, as its server published it
   * @param remoteOffsetBytes where to start in the region
   * @param destination memory registered with the endpoint of this connection
   * @param destinationOffsetBytes where the first byte goes
   * @param lengthBytes how many bytes to read
   * @param timeoutMs the time until the deadline; more than 0
   */
  CompletableFuture<Void> read(
      RegionDescriptor remote,
      long remoteOffsetBytes,
      RegisteredBuffer destination,
      int destinationOffsetBytes,
      int lengthBytes,
      long timeoutMs);

  /** False once the connection is lost or closed; true may be outdated already. */
  boolean isOpen();

  @Override
  void close();
}
