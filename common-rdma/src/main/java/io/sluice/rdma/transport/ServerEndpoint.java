package io.sluice.rdma.transport;

import io.sluice.rdma.transport.TransportException.RegistrationException;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * The serving side: registers memory so that clients can read it.
 *
 * <ul>
 *   <li>A registered region stays strongly reachable here until it is deregistered. The caller may
 *       drop its own reference; the memory is not unmapped under a reader.
 *   <li>Once {@link #deregister} or {@link #close} has returned, the caller may unmap the region's
 *       mapping and close its file.
 *   <li>A read that arrives after {@link #close} fails at the reader. A read that arrives after
 *       {@link #deregister} fails if a server answers it. A NIC may serve the memory until it is
 *       unmapped, so the reader must verify the bytes by a generation and a checksum.
 *   <li>The loss, slowness or misbehaviour of one client affects no other.
 *   <li>{@link #close} is idempotent and ends every connection and thread of this endpoint.
 * </ul>
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller that opened it closes it.
 */
public interface ServerEndpoint extends AutoCloseable {
  /** The bound address with the actual port. A wildcard address is returned as given. */
  InetSocketAddress address();

  /**
   * Where clients should connect now, at any of these: {@link #address}, and the address of each
   * further rail; those that are down are left out.
   */
  default List<InetSocketAddress> rails() {
    return List.of(address());
  }

  /**
   * Makes a region readable by every client that has the descriptor. The descriptor is like a
   * password: publish it only over an authenticated connection.
   *
   * @throws RegistrationException if the region lacks the mapping or file that the provider serves
   *     from, or the system refuses to pin it
   */
  RegionDescriptor register(MemoryRegion region) throws TransportException;

  /** Deregisters a region; unknown and deregistered ones are ignored. */
  void deregister(RegionDescriptor descriptor);

  /** The counters of this endpoint. */
  TransportCounters counters();

  @Override
  void close();
}
