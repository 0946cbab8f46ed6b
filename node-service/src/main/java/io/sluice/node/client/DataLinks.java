package io.sluice.node.client;

import io.sluice.node.remote.RemoteClient;
import io.sluice.node.remote.TransportOffer;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * One task's data connections to one node, one for each transport. One is made when something is to
 * be read, and kept while reads are in flight or were lately. It ends when it is idle: a node has a
 * bounded number for all its readers, and the reader may have few files open.
 *
 * <p>Differs from {@link ControlConnections} in that all reads share a connection, so one is never
 * ended under a read that begins.
 *
 * <p>Thread contract: safe from any thread; connecting holds up the others that read from this
 * node. Ownership: the node closes it, after the last read. Failure: {@link NodeBusyException} when
 * the node has no place now, another {@link TransportException} when it cannot be reached or this
 * was closed.
 */
final class DataLinks implements LinkLimit.Links {
  private static final long KEPT_IDLE_NS = TimeUnit.MILLISECONDS.toNanos(RemoteClient.KEPT_IDLE_MS);

  private final Connector connector;
  private final LinkLimit limit;
  private final ReentrantLock lock = new ReentrantLock(); // held while connecting
  private final Map<String, Link> links = new ConcurrentHashMap<>(); // changed under the lock
  private boolean closed;

  /** Makes a connection. */
  interface Connector {
    /** Asks for a ticket; with it {@link #connect} leads to where the node serves now. */
    Ticket admit(String transport) throws TransportException;

    Connection connect(TransportOffer offer, Ticket ticket) throws TransportException;
  }

  /** A connection with the number of its reads in flight, so that none is ended under one. */
  private static final class Link {
    final TransportOffer offer;
    final Connection connection;
    final AtomicInteger inFlight = new AtomicInteger();
    volatile long usedNs = System.nanoTime();

    Link(TransportOffer offer, Connection connection) {
      this.offer = offer;
      this.connection = connection;
    }

    boolean leadsTo(TransportOffer now) {
      return offer.host().equals(now.host()) && offer.port() == now.port();
    }

    boolean isUnused() {
      return inFlight.get() == 0;
    }

    boolean isIdle() {
      return isUnused() && System.nanoTime() - usedNs > KEPT_IDLE_NS;
    }

    void readEnded() {
      usedNs = System.nanoTime();
      inFlight.decrementAndGet();
    }
  }

  /**
   * Nothing is connected yet.
   *
   * @param limit told before each connection is made, and when none is left
   */
  DataLinks(Connector connector, LinkLimit limit) {
    this.connector = connector;
    this.limit = limit;
  }

  /** Connects to where the node serves this transport now, unless that is done. */
  void connect(TransportOffer offer) throws TransportException {
    acquire(offer).readEnded();
  }

  /** As {@link Connection#read}; connects before, if that must be. */
  CompletableFuture<Void> read(
      TransportOffer offer,
      RegionDescriptor region,
      long offsetBytes,
      RegisteredBuffer destination,
      int lengthBytes,
      long timeoutMs)
      throws TransportException {
    Link link = acquire(offer);
    CompletableFuture<Void> read;
    try {
      read = link.connection.read(region, offsetBytes, destination, 0, lengthBytes, timeoutMs);
    } catch (RuntimeException | Error e) {
      link.readEnded();
      throw e;
    }
    read.whenComplete((ok, failure) -> link.readEnded());
    return read;
  }

  private Link acquire(TransportOffer offer) throws TransportException {
    lock.lock();
    try {
      return acquireLocked(offer);
    } finally {
      lock.unlock();
    }
  }

  private Link acquireLocked(TransportOffer offer) throws TransportException {
    if (closed) {
      throw new TransportException("this reader is closed"); // nobody would end the connection
    }
    Link link = links.get(offer.transport());
    // A service that was restarted may listen elsewhere, and another one where it did.
    if (link == null || !link.connection.isOpen() || !link.leadsTo(offer)) {
      if (link != null) {
        links.remove(offer.transport()).connection.close();
      }
      link = connectLocked(offer);
    }
    link.inFlight.incrementAndGet();
    return link;
  }

  private Link connectLocked(TransportOffer offer) throws TransportException {
    limit.connects(this);
    try {
      Ticket ticket = connector.admit(offer.transport());
      Link link = new Link(offer, connector.connect(offer, ticket));
      links.put(offer.transport(), link);
      return link;
    } finally {
      noteIfNoneIsLeft();
    }
  }

  private void noteIfNoneIsLeft() {
    if (links.isEmpty()) {
      limit.disconnected(this);
    }
  }

  /**
   * Ends those that nothing was read over lately; none while one is being made, for which the other
   * nodes would have to wait.
   */
  void closeIdle() {
    close(Link::isIdle);
  }

  @Override
  public void closeUnused() {
    close(Link::isUnused);
  }

  private void close(Predicate<Link> which) {
    if (!lock.tryLock()) {
      return;
    }
    try {
      for (Iterator<Link> each = links.values().iterator(); each.hasNext(); ) {
        Link link = each.next();
        if (which.test(link)) {
          each.remove(); // first: one that does not end is not to be ended again and again
          link.connection.close();
        }
      }
    } finally {
      noteIfNoneIsLeft();
      lock.unlock();
    }
  }

  @Override
  public long unusedNs(long nowNs) {
    long leastNs = Long.MAX_VALUE;
    for (Link link : links.values()) {
      leastNs = Math.min(leastNs, link.isUnused() ? Math.max(0, nowNs - link.usedNs) : -1);
    }
    return links.isEmpty() ? -1 : leastNs; // the first is being made
  }

  /** How many there are. */
  int count() {
    return links.size();
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      closeAll(links.values().iterator());
    } finally {
      limit.disconnected(this);
      lock.unlock();
    }
  }

  /** Without a list of them: there may be no memory for one. */
  private static void closeAll(Iterator<Link> each) {
    if (!each.hasNext()) {
      return;
    }
    Link link = each.next();
    each.remove();
    try {
      link.connection.close();
    } finally {
      closeAll(each);
    }
  }

  /**
   * The addresses of this host, from any of which a data connection may come: which one it is
   * decides the route to the node, or its RDMA device.
   *
   * <p>Thread contract: stateless; asked anew each time, since addresses come and go.
   */
  static final class LocalAddresses {
    private LocalAddresses() {}

    /** An address with the index of its interface, which is low for a device of the machine. */
    record Found(InetAddress address, int interfaceIndex) {}

    static List<InetAddress> all() throws IOException {
      return inOrder(
          NetworkInterface.networkInterfaces()
              .flatMap(i -> i.inetAddresses().map(address -> new Found(address, i.getIndex())))
              .toList());
    }

    /**
     * The likeliest first, because a node is told so many and no more: what has a route beyond the
     * link, the machine's devices before the bridges and tunnels that were made later. A container
     * host has hundreds of link-local addresses.
     */
    static List<InetAddress> inOrder(List<Found> found) {
      return found.stream()
          .sorted(
              Comparator.<Found>comparingInt(each -> reach(each.address()))
                  .thenComparingInt(Found::interfaceIndex))
          .map(Found::address)
          .toList();
    }

    private static int reach(InetAddress address) {
      if (address.isLoopbackAddress()) {
        return 1; // a node may be this host's
      }
      return address.isLinkLocalAddress() ? 2 : 0;
    }
  }
}
