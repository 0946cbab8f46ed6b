package io.sluice.rdma.transport;

import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.TransportException.ReadTimeoutException;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
import java.util.concurrent.CompletableFuture;

/**
 * A way to read the registered memory of one server.
 *
 * <p>The contract, checked for every provider by {@code TransportContractTest}:
 *
 * <ul>
 *   <li>Many reads may be in flight at once, and may complete in any order.
 *   <li>A read completes normally only when every byte has arrived; there are no short reads.
 *   <li>Every read's future completes by its deadline, normally or with a {@link
 *       TransportException}.
 *   <li>After the future is done, however it was, the destination is not written again. A provider
 *       that cannot call a transfer back tears the connection down first, so <em>a read that times
 *       out costs the connection</em>: it fails with {@link ReadTimeoutException}, the others with
 *       {@link ConnectionLostException}.
 *   <li>The destination is held (see {@link RegisteredBuffer}) until just before the future is
 *       done.
 *   <li>A range outside the region fails with {@link RemoteAccessException}, as do a wrong key and
 *       a deregistered region; a range outside the destination is the caller's mistake and throws
 *       {@link IndexOutOfBoundsException} at once.
 *   <li>Where a NIC refuses in the server's place it breaks the connection without saying why; the
 *       read then fails with {@link ConnectionLostException} instead.
 *   <li>Whether the connection survives a {@link RemoteAccessException} depends on the provider (a
 *       NIC's queue pair does not): ask {@link #isOpen}.
 *   <li>A read of no bytes completes normally and writes nothing; whether the server hears of it is
 *       the provider's choice.
 *   <li>A lost peer fails what is outstanding with {@link ConnectionLostException}; reads issued
 *       later fail at once with the same.
 *   <li>{@link #close} is idempotent, fails what is outstanding, and when it returns every future
 *       is done (unless it was called from a read's callback).
 *   <li>Callbacks on the futures run on the provider's thread, never under a provider's lock; they
 *       must not block, because they hold up the other reads of the connection.
 * </ul>
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever connected closes.
 */
public interface Connection extends AutoCloseable {
  /**
   * Reads a range of a remote region into registered local memory, without the remote CPU where the
   * provider can.
   *
   * @param remote the region, as its owner published it
   * @param remoteOffsetBytes where to start in the region
   * @param destination memory registered with the endpoint this connection came from
   * @param destinationOffsetBytes where the first byte goes
   * @param lengthBytes how much
   * @param timeoutMs the deadline, counted from this call; more than 0
   */
  CompletableFuture<Void> read(
      RegionDescriptor remote,
      long remoteOffsetBytes,
      RegisteredBuffer destination,
      int destinationOffsetBytes,
      int lengthBytes,
      long timeoutMs);

  /** False once the connection was lost or closed; true is only a recent observation. */
  boolean isOpen();

  @Override
  void close();
}
