package io.sluice.node.service;

import io.sluice.node.remote.RemoteServer;
import io.sluice.node.socket.Refusals;
import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.socket.SocketServer;
import io.sluice.node.wire.HeapBudget;
import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;
import io.sluice.rdma.transport.ConnectionCounters;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.spill.segment.Owner;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts of a service's connections, of what they read and of what they were refused, each summed
 * over the control protocol, the socket of the tasks and all transports. The store and the memory
 * manager count for themselves.
 *
 * <p>Thread contract: safe from any thread. Ownership: nothing of its own; it works until the
 * service is closed.
 */
public final class ServiceCounters {
  private final Owner own;
  private final RemoteServer remoteServer;
  private final SocketServer socketServer; // null: tasks have no socket
  private final TransportEndpoints endpoints;
  private final BounceTransports bounce;
  private final ReaderBackend readers;
  private final HeapBudget readersHeap;
  private final HeapBudget tasksHeap;
  private final Refusals refusals;

  ServiceCounters(
      Owner own,
      RemoteServer remoteServer,
      SocketServer socketServer,
      TransportEndpoints endpoints,
      BounceTransports bounce,
      ReaderBackend readers,
      HeapBudget readersHeap,
      HeapBudget tasksHeap,
      Refusals refusals) {
    this.own = own;
    this.remoteServer = remoteServer;
    this.socketServer = socketServer;
    this.endpoints = endpoints;
    this.bounce = bounce;
    this.readers = readers;
    this.readersHeap = readersHeap;
    this.tasksHeap = tasksHeap;
    this.refusals = refusals;
  }

  /** Connections of tasks and of readers, by their fate. */
  public ConnectionCounters connections() {
    ConnectionCounters all = remoteServer.counters();
    if (socketServer != null) {
      all = all.plus(socketServer.counters());
    }
    for (OwnerEndpoints each : endpoints.byTransport().values()) {
      all = all.plus(each.connections());
    }
    return all;
  }

  /** Open connections of each user's tasks and readers. */
  public Map<Owner, Long> connectionsOfUsers() {
    Map<Owner, Long> all = new HashMap<>(Map.of(own, 0L));
    addConnections(remoteServer.connectionsOfUsers(), all);
    if (socketServer != null) {
      addConnections(socketServer.connectionsOfUsers(), all);
    }
    endpoints
        .byTransport()
        .values()
        .forEach(each -> addConnections(each.connectionsOfUsers(), all));
    return all;
  }

  /** Null shares with nobody: that is the service's own user. */
  private void addConnections(Map<Object, Integer> some, Map<Owner, Long> all) {
    some.forEach(
        (user, count) -> all.merge(user == null ? own : (Owner) user, (long) count, Long::sum));
  }

  /** Descriptors that were sent to each user's tasks and, it seems, not received yet. */
  public Map<Owner, Long> inFlightDescriptors() {
    return socketServer == null ? Map.of() : socketServer.inFlightDescriptors();
  }

  /** Tasks and readers that were refused, by the reason. */
  public Map<RefusalKind, Long> refusals() {
    return refusals.counts();
  }

  /** Bytes of the heap that requests of each user's tasks and readers and their answers hold. */
  public Map<Owner, Long> heapBytesOfUsers() {
    Map<Owner, Long> all = readersHeap.heldBytes();
    tasksHeap.heldBytes().forEach((owner, bytes) -> all.merge(owner, bytes, Long::sum));
    all.putIfAbsent(own, 0L);
    return all;
  }

  /** Reads by transport. */
  public Map<String, TransportCounters> transports() {
    return endpoints.counters();
  }

  /** Reads through bounce buffers by transport; a transport that needs none is absent. */
  public Map<String, BounceCounters> bounce() {
    return bounce.counters();
  }

  /** Bytes of runs that were sent within the answers that locate them. */
  public long inlinedBytes() {
    return readers.inlinedBytes();
  }

  /**
   * Counts of the bounce buffers of one transport, at one moment.
   *
   * @param reads ranges copied into a slot
   * @param bytes their bytes
   * @param refusals requests turned away because no slot came free
   * @param slotsInUse slots that readers hold now
   * @param peakSlotsInUse most slots ever held at once
   * @param registeredBytes memory registered for them
   * @param served how long ranges took to be in a slot, the wait for a free one included
   */
  public record BounceCounters(
      long reads,
      long bytes,
      long refusals,
      int slotsInUse,
      int peakSlotsInUse,
      long registeredBytes,
      WaitCounts served) {}
}
