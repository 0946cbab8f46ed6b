package io.sluice.rdma.transport;

import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * One way to move bytes between nodes: RDMA through UCX, or plain TCP.
 *
 * <p>A provider's class loads everywhere; whether it can work on this machine is asked with {@link
 * #isAvailable}. Creating one opens nothing. Thread contract: safe from any thread. Ownership: what
 * {@link #listen} and {@link #openClient} return belongs to the caller, who closes it.
 */
public interface TransportProvider {
  /**
   * The name used in configuration, in logs and between the two sides: {@code ucx}, {@code tcp}.
   */
  String name();

  /** Whether {@link #listen} and {@link #openClient} can work here; the answer never changes. */
  default boolean isAvailable() {
    return unavailabilityCause().isEmpty();
  }

  /** In plain words, what is missing and what to do about it; empty if the provider works here. */
  Optional<String> unavailabilityCause();

  /**
   * Whether somebody who may connect can do no more than to read what it holds descriptors of.
   * Where not, an endpoint that takes anybody gives away the memory of its process.
   */
  boolean isConfined();

  /**
   * Whether the keys of its regions are so short that a reader might guess one. Memory of owners
   * who do not trust each other is then registered at endpoints of their own: a key opens nothing
   * at another endpoint, even of the same process.
   */
  default boolean keysCanBeGuessed() {
    return false;
  }

  /**
   * Starts serving registered memory.
   *
   * @param bindAddress where clients will connect; port 0 takes a free one
   * @param admission says who may
   * @throws TransportException if the provider is not available or the address cannot be bound
   */
  ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
      throws TransportException;

  /** The same for whoever comes: for tests and trials. */
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
