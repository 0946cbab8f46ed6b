package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.support.TransportMeter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Registers memory with the NIC, which answers the reads of the clients that were admitted here.
 *
 * <p>No RDMA port listens: clients connect over TCP, show their ticket, and only then get a queue
 * pair. It has a protection domain of its own on each device. The queue pairs of its clients belong
 * to it, so the NIC refuses them the keys of other endpoints, even of those at the same {@link
 * VerbsListener}.
 *
 * <p>Thread contract: safe from any thread; the threads are the listener's. Ownership: the caller
 * closes.
 */
final class VerbsServerEndpoint implements ServerEndpoint {
  private final VerbsListener listener;
  private final VerbsDomains domains;
  private final Admission admission;
  private final int access;
  private final TransportMeter meter = new TransportMeter();
  private final VerbsServerConnections connections = new VerbsServerConnections();
  private final Map<RegionDescriptor, VerbsRegion> regions = new HashMap<>(); // under this
  private long nextRegionId = 1; // under this
  private boolean closed; // under this

  private VerbsServerEndpoint(VerbsListener listener, VerbsDomains domains, Admission admission) {
    this.listener = listener;
    this.domains = domains;
    this.admission = admission;
    this.access =
        VerbsLayout.ACCESS_REMOTE_READ
            | (listener.network().onDemandPaging() ? VerbsLayout.ACCESS_ON_DEMAND : 0);
  }

  /** Opens the first one at an address, and at those of further rails. */
  static VerbsServerEndpoint open(
      Verbs verbs,
      Path sysClass,
      InetSocketAddress bindAddress,
      List<InetAddress> rails,
      Admission admission,
      VerbsNetwork network)
      throws TransportException {
    VerbsListener listener =
        VerbsListener.open(verbs, sysClass, bindAddress, rails, admission, network);
    VerbsServerEndpoint endpoint = over(listener, admission);
    try {
      listener.accept();
      return endpoint;
    } catch (TransportException | RuntimeException | Error e) {
      Closer.after(e, endpoint::close);
      throw e;
    }
  }

  /** Opens another one at the same address. */
  VerbsServerEndpoint beside(Admission other) throws TransportException {
    listener.enter();
    return over(listener, other);
  }

  /** Takes over one use of the listener. */
  private static VerbsServerEndpoint over(VerbsListener listener, Admission admission)
      throws TransportException {
    VerbsDomains domains = null;
    try {
      domains = VerbsDomains.allocate(listener.devices());
      VerbsServerEndpoint endpoint = new VerbsServerEndpoint(listener, domains, admission);
      listener.add(endpoint); // last: now clients come
      return endpoint;
    } catch (TransportException | RuntimeException | Error e) {
      if (domains != null) {
        Closer.after(e, domains::close);
      }
      Closer.after(e, listener::leave);
      throw e;
    }
  }

  @Override
  public InetSocketAddress address() {
    return listener.address();
  }

  @Override
  public List<InetSocketAddress> rails() {
    return listener.rails();
  }

  /** Decides which clients may connect here. */
  Admission admission() {
    return admission;
  }

  /** The domains of its memory, and of its clients' queue pairs. */
  VerbsDomains domains() {
    return domains;
  }

  VerbsServerConnections connections() {
    return connections;
  }

  TransportMeter meter() {
    return meter;
  }

  @Override
  public synchronized RegionDescriptor register(MemoryRegion memory) throws TransportException {
    if (memory.mapping() == null) {
      throw new RegistrationException(
          "verbs: a region without a mapping cannot be registered; serve files over tcp");
    }
    if (closed) {
      throw new TransportException("verbs: registering a region: the endpoint is closed");
    }
    VerbsRegion region =
        VerbsRegion.register(domains, memory.mapping(), memory.lengthBytes(), access);
    try {
      RegionDescriptor descriptor =
          new RegionDescriptor(nextRegionId++, 0, memory.lengthBytes(), region.pack());
      regions.put(descriptor, region);
      meter.registered(memory.lengthBytes());
      return descriptor;
    } catch (RuntimeException | Error e) { // for want of memory
      Closer.after(e, region::deregister);
      throw e;
    }
  }

  @Override
  public synchronized void deregister(RegionDescriptor descriptor) {
    VerbsRegion region = regions.get(descriptor);
    if (region != null) {
      region.deregister(); // first: if it fails, a second call must try again
      regions.remove(descriptor);
      meter.deregistered(descriptor.lengthBytes());
    }
  }

  @Override
  public TransportCounters counters() {
    return meter.snapshot();
  }

  /** For tests: reads of the connected clients are lost from now on. */
  void fallSilent() {
    try {
      connections.destroyPairs();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public synchronized void close() {
    Stream<Runnable> ends = // first: there may be no memory for it later
        Stream.of(
            () -> listener.remove(this),
            connections::end,
            this::deregisterAll,
            this::freeDomains,
            listener::leave);
    if (!closed) {
      closed = true;
      Closer.all(ends);
    }
  }

  private void deregisterAll() {
    List<RegionDescriptor> all = new ArrayList<>(regions.keySet());
    Closer.all(all.stream().map(region -> () -> deregister(region)));
  }

  /** Frees the domains, but later if the listener's thread may still make a queue pair in them. */
  private void freeDomains() {
    if (connections.haveEnded()) {
      domains.close();
    } else {
      listener.freeAtEnd(domains);
    }
  }
}
