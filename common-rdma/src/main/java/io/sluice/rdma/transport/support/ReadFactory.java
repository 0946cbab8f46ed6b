package io.sluice.rdma.transport.support;

import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.support.ClientEndpointBase.ClientResources;
import io.sluice.rdma.transport.support.ClientEndpointBase.EndpointBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Starts the reads of one connection, after checks of the caller's arguments.
 *
 * <p>Thread contract: safe from any thread. Failure: a read whose start fails, mostly for want of
 * memory, fails at once and releases its destination.
 *
 * @param resources the resources of the connection's endpoint
 * @param peer the remote address, for messages
 * @param futures makes the future of each read
 * @param submit posts a read, or completes it. It may throw only while no part of the read is
 *     posted or waits to be posted: from then on the NIC might write to the destination, and only
 *     the end of the connection may complete the read
 * @param late ends the connection because a read has missed its deadline, unless that read is
 *     completed
 */
public record ReadFactory(
    ClientResources resources,
    String peer,
    Supplier<CompletableFuture<Void>> futures,
    Consumer<PendingRead> submit,
    Consumer<PendingRead> late) {
  /** With futures for which a thread sleeps at once when it waits. */
  public ReadFactory(
      ClientResources resources,
      String peer,
      Consumer<PendingRead> submit,
      Consumer<PendingRead> late) {
    this(resources, peer, CompletableFuture::new, submit, late);
  }

  /**
   * Starts a read, as {@link Connection#read} says.
   *
   * @throws IllegalArgumentException if the destination belongs to another endpoint, or the timeout
   *     is not positive
   * @throws IndexOutOfBoundsException if the range does not lie in the destination
   * @throws IllegalStateException if the destination was closed
   */
  public CompletableFuture<Void> start(
      RegionDescriptor remote,
      long remoteOffsetBytes,
      RegisteredBuffer destination,
      int destinationOffsetBytes,
      int lengthBytes,
      long timeoutMs) {
    if (!(destination.registration() instanceof EndpointBuffer registered)
        || registered.resources() != resources) {
      throw new IllegalArgumentException(
          "the destination is not registered with the endpoint of this connection");
    }
    PendingRead read =
        new PendingRead(
            remote,
            remoteOffsetBytes,
            destination,
            destinationOffsetBytes,
            lengthBytes,
            timeoutMs,
            peer,
            resources.meter(),
            futures.get());
    try {
      if (!read.failIfOutsideRegion()) {
        read.startDeadline(resources.deadlines(), () -> late.accept(read));
        submit.accept(read);
      }
    } catch (RuntimeException | Error e) { // the destination is held from the constructor on
      read.failUnstarted(e);
    }
    return read.future();
  }
}
