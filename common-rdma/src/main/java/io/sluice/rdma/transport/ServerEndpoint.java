package io.sluice.rdma.transport;

import io.sluice.rdma.transport.TransportException.RegistrationException;
import java.net.InetSocketAddress;

/**
 * The side that owns memory and lets others read it.
 *
 * <ul>
 *   <li>A registered region stays strongly reachable here until it is deregistered: the caller may
 *       drop its own reference without the memory being unmapped under a reader.
 *   <li>Once {@link #deregister} or {@link #close} has returned, the caller may unmap the region's
 *       mapping and close its file.
 *   <li>A read that arrives after {@link #close} fails at the reader. One that arrives after {@link
 *       #deregister} fails too where a server answers; a NIC may go on serving the memory until it
 *       is unmapped, so what is read must carry its own proof (generation, checksum).
 *   <li>The loss, slowness or misbehaviour of one client disturbs no other.
 *   <li>{@link #close} is idempotent and ends every connection and thread of this endpoint.
 * </ul>
 *
 * <p>Thread contract: safe from any thread.
 */
public interface ServerEndpoint extends AutoCloseable {
  /** The bound address, with the real port. A wildcard address is returned as it was given. */
  InetSocketAddress address();

  /**
   * Makes a region readable by whoever holds the descriptor, which is as good as a password:
   * publish it over an authenticated channel only.
   *
   * @throws RegistrationException if the region lacks what the provider serves from, or the system
   *     refuses to pin it
   */
  RegionDescriptor register(MemoryRegion region) throws TransportException;

  /** Takes a region back; unknown or already deregistered ones are ignored. */
  void deregister(RegionDescriptor descriptor);

  /** What this endpoint has served so far. */
  TransportCounters counters();

  @Override
  void close();
}
