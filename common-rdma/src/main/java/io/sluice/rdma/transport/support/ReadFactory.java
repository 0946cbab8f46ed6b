package io.sluice.rdma.transport.support;

import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;

/**
 * Makes the reads of one connection, after the checks of what the caller answers for.
 *
 * <p>Thread contract: immutable.
 *
 * @param holdings those of the connection's endpoint
 * @param peer the remote address, for messages
 */
public record ReadFactory(ClientResources holdings, String peer) {
  /**
   * Checks the arguments of {@link Connection#read} and holds the destination.
   *
   * @throws IllegalArgumentException if the destination belongs to another endpoint, or the timeout
   *     is not positive
   * @throws IndexOutOfBoundsException if the range does not lie in the destination
   * @throws IllegalStateException if the destination was closed
   */
  public PendingRead open(
      RegionDescriptor remote,
      long remoteOffsetBytes,
      RegisteredBuffer destination,
      int destinationOffsetBytes,
      int lengthBytes,
      long timeoutMs) {
    if (!(destination.registration() instanceof EndpointBuffer registered)
        || registered.holdings() != holdings) {
      throw new IllegalArgumentException(
          "the destination is not registered with the endpoint of this connection");
    }
    return new PendingRead(
        remote,
        remoteOffsetBytes,
        destination,
        destinationOffsetBytes,
        lengthBytes,
        timeoutMs,
        peer,
        holdings.meter());
  }
}
