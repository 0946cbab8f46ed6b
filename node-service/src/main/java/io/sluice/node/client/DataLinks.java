package io.sluice.node.client;

import io.sluice.node.remote.RemoteClient;
import io.sluice.node.remote.TransportOffer;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One task's data connections to one node, one for each transport. One is made when something is to
 * be read, and kept while reads are in flight or were lately. It ends when it is idle: a node has a
 * bounded number for all its readers, and the reader may have few files open.
 *
 * <p>A node may serve a transport on several rails, each at an address of its own. A connection
 * goes over one of them, at first any, so that readers are spread over all. After one that ended or
 * could not be made, the next rail is tried.
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
  private static final Logger LOG = LoggerFactory.getLogger(DataLinks.class);
  private static final long KEPT_IDLE_NS = TimeUnit.MILLISECONDS.toNanos(RemoteClient.KEPT_IDLE_MS);

  private final Connector connector;
  private final LinkLimit limit;
  private final ReentrantLock lock = new ReentrantLock(); // held while connecting
  private final Map<String, Link> links = new ConcurrentHashMap<>(); // changed under the lock
  private int rail; // the number of the rail to try next; under the lock
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
   * @param firstRail any number; divided by the number of rails it leaves the one to try first
   */
  DataLinks(Connector connector, LinkLimit limit, int firstRail) {
    this.connector = connector;
    this.limit = limit;
    this.rail = firstRail;
  }

  /**
   * Connects to where the node serves a transport now, unless that is done.
   *
   * @param rails each a way to it
   */
  void connect(List<TransportOffer> rails) throws TransportException {
    acquire(rails).readEnded();
  }

  /** As {@link Connection#read}; connects before, if that must be. */
  CompletableFuture<Void> read(
      List<TransportOffer> rails,
      RegionDescriptor region,
      long offsetBytes,
      RegisteredBuffer destination,
      int lengthBytes,
      long timeoutMs)
      throws TransportException {
    Link link = acquire(rails);
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

  private Link acquire(List<TransportOffer> rails) throws TransportException {
    lock.lock();
    try {
      return acquireLocked(rails);
    } finally {
      lock.unlock();
    }
  }

  private Link acquireLocked(List<TransportOffer> rails) throws TransportException {
    if (closed) {
      throw new TransportException("this reader is closed"); // nobody would end the connection
    }
    String transport = rails.get(0).transport();
    Link link = links.get(transport);
    // A service that was restarted may listen elsewhere, and another one where it did.
    if (link == null || !link.connection.isOpen() || rails.stream().noneMatch(link::leadsTo)) {
      if (link != null) {
        rail++; // its rail may be why it ended
        links.remove(transport).connection.close();
      }
      link = connectLocked(rails);
    }
    link.inFlight.incrementAndGet();
    return link;
  }

  private Link connectLocked(List<TransportOffer> rails) throws TransportException {
    limit.connects(this);
    try {
      TransportException failure = null;
      for (int tried = 0; tried < rails.size(); tried++) {
        TransportOffer offer = rails.get(Math.floorMod(rail, rails.size()));
        Ticket ticket = connector.admit(offer.transport());
        try {
          Link link = new Link(offer, connector.connect(offer, ticket));
          links.put(offer.transport(), link);
          return link;
        } catch (NodeBusyException e) { // on all rails
          throw e;
        } catch (TransportException e) {
          rail++;
          if (tried + 1 < rails.size()) {
            LOG.info("The next rail is tried: {}", e.getMessage());
          }
          if (failure == null) {
            failure = e;
          } else {
            failure.addSuppressed(e);
          }
        }
      }
      throw failure;
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
}
