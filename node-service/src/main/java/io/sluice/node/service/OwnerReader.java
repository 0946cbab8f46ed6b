package io.sluice.node.service;

import io.sluice.node.remote.AuthenticatedReader;
import io.sluice.node.remote.BounceSlots;
import io.sluice.node.remote.TransportOffer;
import io.sluice.node.wire.HeapBudget;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import io.sluice.spill.segment.Owner;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reader of one owner's application, at that owner's endpoints, which stay open for it.
 *
 * <p>Thread contract: one thread. Failure: a transport whose endpoint cannot be opened is not
 * offered, with a line in the log.
 */
final class OwnerReader implements AuthenticatedReader {
  private static final Logger LOG = LoggerFactory.getLogger(OwnerReader.class);

  private final Owner owner;
  private final Object sharer;
  private final Map<String, OwnerEndpoints> used = new LinkedHashMap<>();
  private final HeapBudget heap;
  private final BounceTransports bounce;
  private final BounceSlots slots;

  OwnerReader(
      Owner owner,
      boolean shares,
      Map<String, OwnerEndpoints> endpoints,
      HeapBudget heap,
      BounceTransports bounce,
      BounceSlots slots) {
    this.owner = owner;
    this.sharer = shares ? owner : null;
    this.heap = heap;
    this.bounce = bounce;
    this.slots = slots;
    try {
      endpoints.forEach(this::use);
    } catch (RuntimeException | Error e) { // of threads, of which an endpoint needs some
      close();
      throw e;
    }
  }

  private void use(String transport, OwnerEndpoints endpoints) {
    try {
      endpoints.use(owner);
      used.put(transport, endpoints);
    } catch (TransportException e) {
      LOG.warn(
          "Readers of user id {} are not served over {}: {}", owner, transport, e.getMessage());
    }
  }

  @Override
  public Object sharer() {
    return sharer;
  }

  @Override
  public List<TransportOffer> offers() {
    List<TransportOffer> offers = new ArrayList<>();
    used.forEach(
        (transport, endpoints) ->
            offers.add(
                TransportOffer.of(
                    transport,
                    endpoints.address(owner),
                    bounce.of(transport).map(BounceBuffers::slotBytes).orElse(0))));
    return offers;
  }

  @Override
  public Ticket expect(String transport, Set<InetAddress> from) throws RemoteError {
    OwnerEndpoints endpoints = used.get(transport);
    if (endpoints == null) {
      throw new RemoteError(
          RemoteError.Code.BAD_REQUEST, "nothing is served over " + transport + " here");
    }
    return endpoints
        .expect(owner, sharer, from)
        .orElseThrow(
            () ->
                new RemoteError(
                    RemoteError.Code.BUSY,
                    "as many read over "
                        + transport
                        + " as this node takes, "
                        + endpoints.mostConnections()
                        + " in all; raise max-connections of its service for more"));
  }

  @Override
  public HeapBudget.Held heap(long bytes) throws RemoteError {
    return heap.take(owner, bytes);
  }

  @Override
  public BounceSlots slots() {
    return slots;
  }

  @Override
  public void close() {
    slots.close();
    used.values().forEach(endpoints -> endpoints.leave(owner));
  }
}
