package io.sluice.rdma.transport;

import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * The reading side: registered buffers and connections.
 *
 * <ul>
 *   <li>The loss of one connection does not affect the endpoint, its buffers and its other
 *       connections; the caller may connect again.
 *   <li>A buffer registered here is a destination for all connections of this endpoint, and for no
 *       others.
 *   <li>{@link #close} is idempotent. It closes the connections and deregisters the remaining
 *       buffers; the caller still owns the memory.
 * </ul>
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller that opened it closes it.
 */
public interface ClientEndpoint extends AutoCloseable {
  /**
   * Registers a buffer to read into. Few large registrations are better than many small ones:
   * {@link io.sluice.rdma.transport.RegisteredWindows} divides them into windows.
   *
   * @param direct a direct buffer; all of it is registered, independent of its position and limit.
   *     The caller frees it after closing the result
   * @throws RegistrationException if the system refuses to pin it
   */
  RegisteredBuffer register(ByteBuffer direct) throws TransportException;

  /**
   * Connects, and returns when the other side has answered.
   *
   * @param ticket the ticket that the other side's {@link Admission} gave for this connection
   * @throws ConnectFailedException if the other side cannot be reached, is not a Sluice endpoint,
   *     or has not answered within {@code timeoutMs}
   */
  Connection connect(InetSocketAddress remote, Ticket ticket, long timeoutMs)
      throws TransportException;

  /** Connects to an endpoint that accepts any client. */
  default Connection connect(InetSocketAddress remote, long timeoutMs) throws TransportException {
    return connect(remote, Ticket.NONE, timeoutMs);
  }

  /** The counters of all connections of this endpoint. */
  TransportCounters counters();

  @Override
  void close();
}
