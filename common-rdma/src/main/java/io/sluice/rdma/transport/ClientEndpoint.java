package io.sluice.rdma.transport;

import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * The side that reads: landing memory and connections.
 *
 * <ul>
 *   <li>The loss of one connection leaves the endpoint, its buffers and its other connections as
 *       they are; the caller may connect again.
 *   <li>A buffer registered here is a destination for every connection of this endpoint, and of no
 *       other.
 *   <li>{@link #close} is idempotent, closes the connections and deregisters what is still
 *       registered; the memory itself stays the caller's.
 * </ul>
 *
 * <p>Thread contract: safe from any thread.
 */
public interface ClientEndpoint extends AutoCloseable {
  /**
   * Registers landing memory. Few large registrations are better than many small ones: {@link
   * io.sluice.rdma.transport.RegisteredWindows} cuts windows from them.
   *
   * @param direct a direct buffer, all of which is registered whatever its position and limit; the
   *     caller frees it after closing the result
   * @throws RegistrationException if the system refuses to pin it
   */
  RegisteredBuffer register(ByteBuffer direct) throws TransportException;

  /**
   * Connects, and returns when the other side has answered.
   *
   * @param ticket what the other side's {@link Admission} gave for this connection
   * @throws ConnectFailedException if it cannot be reached, is not a Sluice endpoint, or has not
   *     answered within {@code timeoutMs}
   */
  Connection connect(InetSocketAddress remote, Ticket ticket, long timeoutMs)
      throws TransportException;

  /** The same where anybody may connect. */
  default Connection connect(InetSocketAddress remote, long timeoutMs) throws TransportException {
    return connect(remote, Ticket.NONE, timeoutMs);
  }

  /** What this endpoint has read so far, over all its connections. */
  TransportCounters counters();

  @Override
  void close();
}
