package io.sluice.rdma.transport;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * A way to move bytes between nodes: RDMA through libibverbs, UCX or DiSNI, or TCP.
 *
 * <p>A provider's class loads everywhere; {@link #isAvailable} tells whether it works on this
 * machine. Its constructor opens nothing. Thread contract: safe from any thread. Ownership: the
 * caller closes the endpoints that {@link #listen} and {@link #openClient} return.
 */
public interface TransportProvider {
  /** The name in settings, in logs and on the wire: {@code verbs}, {@code tcp}. */
  String name();

  /** Whether {@link #listen} and {@link #openClient} can work here; the answer never changes. */
  default boolean isAvailable() {
    return unavailabilityCause().isEmpty();
  }

  /** The missing part and the remedy, in plain words; empty if the provider works here. */
  Optional<String> unavailabilityCause();

  /**
   * Whether a client that may connect can only read regions of which it has descriptors. If not, an
   * endpoint that accepts any client exposes the memory of its process.
   */
  boolean isConfined();

  /**
   * Whether the keys of its regions are so short that a reader might guess one. Memory of owners
   * that do not trust each other then needs separate endpoints, because a key is valid at its own
   * endpoint only.
   */
  default boolean keysCanBeGuessed() {
    return false;
  }

  /**
   * This transport, with servers that listen at further addresses of this host beside the one to
   * bind, so that readers are spread over several RDMA ports: see {@link ServerEndpoint#rails}. One
   * that cannot use several ignores them.
   */
  default TransportProvider withRails(List<InetAddress> further) {
    return this;
  }

  /**
   * Starts serving registered memory.
   *
   * @param bindAddress where clients will connect; port 0 takes a free one
   * @param admission decides which clients may connect
   * @throws TransportException if the provider is not available or the address cannot be bound
   */
  ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
      throws TransportException;

  /**
   * Starts serving memory that the clients of another endpoint cannot read, nor its clients that of
   * the other: at the same address if a client's ticket tells for which of both it came, else at a
   * port of its own. Either may be closed first.
   *
   * @param first an endpoint of this provider that is open, and admits expected clients only
   * @param admission decides which clients may connect; it admits expected ones only
   * @throws TransportException if the first one is closed, or there are no resources for another
   */
  default ServerEndpoint listenBeside(ServerEndpoint first, Admission admission)
      throws TransportException {
    return listen(new InetSocketAddress(first.address().getAddress(), 0), admission);
  }

  /** Serves registered memory to any client: for tests and trials. */
  default ServerEndpoint listen(InetSocketAddress bindAddress) throws TransportException {
    return listen(bindAddress, Admission.open(ConnectionLimits.DEFAULT));
  }

  /**
   * Opens the reading side.
   *
   * @throws TransportException if the provider is not available
   */
  ClientEndpoint openClient() throws TransportException;
}
