package io.sluice.node.service;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ConnectionCounters;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.FairShare;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.support.Uninterruptibly;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where one transport serves: at one endpoint, or, where its keys can be guessed, at one for each
 * owner. Everything that is registered at an endpoint then belongs to one owner, and each reader
 * that connects to it was admitted for an application of that owner. A key of another owner's opens
 * nothing there, guessed or not.
 *
 * <p>The endpoint of the service's own user is open for as long as the service. Another owner's is
 * opened beside it with the first region or reader of that owner, and closed with the last. It
 * listens at the same port if the transport can tell its readers by their tickets, else at one of
 * its own.
 *
 * <p>Thread contract: safe from any thread. Ownership: the service closes it, before the store.
 * Failure: {@link TransportException} where an owner's endpoint cannot be opened; that owner's
 * readers are then offered other transports.
 */
final class OwnerEndpoints implements AutoCloseable {
  /**
   * The part of the places for unauthenticated clients that each owner's endpoint has at a port of
   * its own, because there may be many of them. The service's own endpoint has all.
   */
  static final int UNAUTHENTICATED_PART = 16;

  private static final Logger LOG = LoggerFactory.getLogger(OwnerEndpoints.class);
  private static final long CLOSE_LIMIT_MS = 30_000;

  private final TransportProvider provider;
  private final InetSocketAddress address;
  private final ConnectionLimits limits;
  private final boolean shared;
  private final boolean apart;
  private final Owner own;
  private final FairShare places;
  private final LongSupplier nanoClock;
  private final Map<Owner, Endpoint> open = new HashMap<>();
  private final Set<Endpoint> closing = new HashSet<>(); // of no owner any more
  private TransportCounters closedCounters = TransportCounters.NONE;
  private ConnectionCounters closedConnections = ConnectionCounters.NONE;
  private boolean closed;

  /** An endpoint and the number of its users: regions, readers, and the service's own user. */
  private static final class Endpoint {
    private final ServerEndpoint server;
    private final Admission admission;
    private int users;

    private Endpoint(ServerEndpoint server, Admission admission) {
      this.server = server;
      this.admission = admission;
    }
  }

  private OwnerEndpoints(
      TransportProvider provider,
      InetSocketAddress address,
      ConnectionLimits limits,
      boolean shared,
      Owner own,
      LongSupplier nanoClock) {
    this.provider = provider;
    this.address = address;
    this.limits = limits;
    this.shared = shared;
    this.apart = shared && provider.keysCanBeGuessed();
    this.own = own;
    this.nanoClock = nanoClock;
    this.places = new FairShare(limits.maxConnections());
  }

  /**
   * Listens at an address, for the service's own user.
   *
   * @param shared whether there may be other owners
   */
  static OwnerEndpoints open(
      TransportProvider provider,
      InetSocketAddress address,
      ConnectionLimits limits,
      boolean shared)
      throws IOException {
    return open(provider, address, limits, shared, System::nanoTime);
  }

  /** The same by the given clock. */
  static OwnerEndpoints open(
      TransportProvider provider,
      InetSocketAddress address,
      ConnectionLimits limits,
      boolean shared,
      LongSupplier nanoClock)
      throws IOException {
    Owner own = Owner.ofThisProcess();
    OwnerEndpoints endpoints =
        new OwnerEndpoints(provider, address, limits, shared, own, nanoClock);
    endpoints.use(own);
    return endpoints;
  }

  /** The service's user. */
  Owner own() {
    return own;
  }

  /** Whether there may be other owners. */
  boolean isShared() {
    return shared;
  }

  /** The user at whose endpoint an owner is served. */
  private Owner at(Owner owner) {
    return apart ? owner : own;
  }

  /** Has an owner's endpoint open until {@link #leave}. */
  void use(Owner owner) throws TransportException {
    endpoint(owner);
  }

  private synchronized Endpoint endpoint(Owner owner) throws TransportException {
    Endpoint endpoint = open.get(at(owner));
    if (endpoint == null) {
      endpoint = listen(at(owner));
    }
    endpoint.users++;
    return endpoint;
  }

  private Endpoint listen(Owner owner) throws TransportException {
    if (closed) {
      throw new TransportException(provider.name() + ": the service is closed");
    }
    boolean isOwn = owner.equals(own);
    Admission admission = Admission.expected(isOwn ? limits : limitsOfOther(), places, nanoClock);
    ServerEndpoint server =
        isOwn
            ? provider.listen(address, admission)
            : provider.listenBeside(open.get(own).server, admission);
    Endpoint endpoint = new Endpoint(server, admission);
    open.put(owner, endpoint);
    return endpoint;
  }

  private ConnectionLimits limitsOfOther() {
    return limits.withUnauthenticated(
        Math.max(1, limits.maxUnauthenticated() / UNAUTHENTICATED_PART));
  }

  /** A user of the endpoint needs it no more. */
  void leave(Owner owner) {
    Stream<Runnable> ends;
    synchronized (this) {
      Endpoint last = open.get(at(owner));
      if (last == null || --last.users > 0) {
        return;
      }
      ends = ends(last); // this and the next first: there may be no memory for them later
      closing.add(last);
      open.remove(at(owner));
    }
    try {
      Closer.all(ends); // under no lock: it waits for a thread
    } catch (RuntimeException
        | Error e) { // the use is given up; a second attempt would end another
      SafeLog.warn(LOG, "{}: an owner's endpoint did not end cleanly", provider.name(), e);
    }
  }

  private Stream<Runnable> ends(Endpoint endpoint) {
    return Stream.of(endpoint.server::close, endpoint.admission::close, () -> forget(endpoint));
  }

  private synchronized void forget(Endpoint endpoint) {
    closing.remove(endpoint);
    closedCounters = closedCounters.plus(endpoint.server.counters().ended());
    closedConnections = closedConnections.plus(endpoint.admission.counters().ended());
    notifyAll();
  }

  /** Makes memory of an owner readable for the owner's readers. */
  RegionDescriptor register(Owner owner, MemoryRegion region) throws TransportException {
    Endpoint endpoint = endpoint(owner);
    try {
      return endpoint.server.register(region);
    } catch (TransportException | RuntimeException | Error e) {
      leave(owner);
      throw e;
    }
  }

  /** Takes it back; nothing if this is closed. */
  void deregister(Owner owner, RegionDescriptor region) {
    ServerEndpoint server;
    synchronized (this) {
      Endpoint endpoint = open.get(at(owner));
      if (endpoint == null) {
        return;
      }
      server = endpoint.server;
    }
    server.deregister(region);
    leave(owner);
  }

  /** Whether memory that changes its owner must be registered anew. */
  boolean isApart(Owner one, Owner other) {
    return !at(one).equals(at(other));
  }

  /** Where the readers of an owner connect, while its endpoint is in use. */
  synchronized InetSocketAddress address(Owner owner) {
    return open.get(at(owner)).server.address();
  }

  /** All addresses at which they may connect. */
  List<InetSocketAddress> rails(Owner owner) {
    ServerEndpoint server;
    synchronized (this) {
      server = open.get(at(owner)).server;
    }
    return server.rails(); // under no lock: it may ask the devices
  }

  /** As {@link Admission#expect}, of a reader of this owner. */
  synchronized Optional<Ticket> expect(Owner owner, Object sharer, Set<InetAddress> from) {
    Endpoint endpoint = open.get(at(owner));
    open.values().forEach(each -> each.admission.forgetLate()); // their slots are shared
    return endpoint == null ? Optional.empty() : endpoint.admission.expect(sharer, from);
  }

  /** Most connections at a time, of all owners together. */
  int mostConnections() {
    return limits.maxConnections();
  }

  /** How many connections each sharer has or is expected to make; null's are not shared. */
  Map<Object, Integer> connectionsOfUsers() {
    return places.held();
  }

  /** Reads that all of them served. */
  synchronized TransportCounters counters() {
    return all()
        .map(each -> each.server.counters())
        .reduce(closedCounters, TransportCounters::plus);
  }

  /** Connections to all of them, by their fate. */
  synchronized ConnectionCounters connections() {
    return all()
        .map(each -> each.admission.counters())
        .reduce(closedConnections, ConnectionCounters::plus);
  }

  private Stream<Endpoint> all() {
    return Stream.concat(open.values().stream(), closing.stream());
  }

  @Override
  public void close() {
    List<Endpoint> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(open.values());
      closing.addAll(all);
      open.clear();
    }
    Closer.all(
        Stream.concat(
            all.stream().<Runnable>map(endpoint -> () -> Closer.all(ends(endpoint))),
            Stream.of(this::awaitClosing)));
  }

  /** Others may be closing endpoints, too, which have the port until then. */
  private synchronized void awaitClosing() {
    Uninterruptibly.await(this, closing::isEmpty, CLOSE_LIMIT_MS);
  }
}
