package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.verbs.GidTable.Gid;
import io.sluice.rdma.transport.verbs.Verbs.AsyncEvent;
import io.sluice.rdma.transport.verbs.Verbs.DeviceLimits;
import io.sluice.rdma.transport.verbs.Verbs.PortState;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An opened device.
 *
 * <p>Thread contract: safe from any thread. Ownership: {@link VerbsDevices} closes it, after all
 * {@linkplain VerbsDomain domains}. Failure: an event that the device reports ends the connections
 * that it concerns.
 */
final class VerbsDevice {
  /** A connection through a device. */
  interface User {
    /** The queue pair, which may be destroyed already. */
    long pair();

    /** The number of the port. */
    int port();

    /** Ends the connection, once; must not wait. */
    void lost(String reason);
  }

  private static final Logger LOG = LoggerFactory.getLogger(VerbsDevice.class);

  private final Verbs verbs;
  private final Path sysClass;
  private final String name;
  private final int number;
  private final List<Integer> ports;
  private final long context;
  private final DeviceLimits limits;
  private final Set<VerbsDomain> domains = ConcurrentHashMap.newKeySet();
  private final Set<User> users = ConcurrentHashMap.newKeySet();
  private volatile String failure;

  private VerbsDevice(
      Verbs verbs, Path sysClass, String name, int number, List<Integer> ports, long context)
      throws IOException {
    this.verbs = verbs;
    this.sysClass = sysClass;
    this.name = name;
    this.number = number;
    this.ports = ports;
    this.context = context;
    this.limits = verbs.limits(context);
  }

  /**
   * Opens a device.
   *
   * @param number which of the {@link VerbsDevices} it is
   * @param ports the numbers of its active ports
   */
  static VerbsDevice open(Verbs verbs, Path sysClass, String name, int number, List<Integer> ports)
      throws IOException {
    long context = verbs.open(name);
    try {
      return new VerbsDevice(verbs, sysClass, name, number, ports, context);
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, () -> verbs.close(context));
      throw e;
    }
  }

  Verbs verbs() {
    return verbs;
  }

  int number() {
    return number;
  }

  long context() {
    return context;
  }

  DeviceLimits limits() {
    return limits;
  }

  /** The port that an address of this host belongs to, if it is one of this device. */
  Optional<VerbsPort> find(InetAddress address) throws IOException {
    for (int port : ports) {
      GidTable gids = new GidTable(sysClass, name, port);
      PortState state = verbs.port(context, port);
      Optional<Gid> gid =
          !state.infiniband()
              ? gids.find(address)
              : gids.isInterfaceOf(address) ? Optional.of(gids.ofInfiniband()) : Optional.empty();
      if (gid.isPresent()) {
        return Optional.of(new VerbsPort(this, port, state, gid.get()));
      }
    }
    return Optional.empty();
  }

  /**
   * A port as it is now, if it still belongs to an address: its LID, its MTU and the GID that the
   * subnet manager gave it may change.
   */
  Optional<VerbsPort> again(VerbsPort port, InetAddress address) throws IOException {
    GidTable gids = new GidTable(sysClass, name, port.number());
    PortState state = verbs.port(context, port.number());
    boolean same = state.infiniband() ? gids.isInterfaceOf(address) : gids.has(port.gid());
    if (!same) {
      return Optional.empty();
    }
    Gid gid = state.infiniband() ? gids.ofInfiniband() : port.gid();
    return Optional.of(new VerbsPort(this, port.number(), state, gid));
  }

  /** Whether a port belongs to one of the addresses. */
  boolean hasAny(Collection<InetAddress> addresses) throws IOException {
    for (int port : ports) {
      boolean infiniband = verbs.port(context, port).infiniband();
      if (!new GidTable(sysClass, name, port).of(addresses, infiniband).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** The partition keys of a port. */
  PartitionTable partitions(int port) {
    return new PartitionTable(
        sysClass.resolve("infiniband").resolve(name).resolve("ports/" + port + "/pkeys"));
  }

  /** Whether an active port has a partition key. */
  boolean hasPartition(int key) throws IOException {
    for (int port : ports) {
      if (partitions(port).find(key).isPresent()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Adds a connection, which is told of the device's failures until {@link #remove(User)}. A device
   * that has failed already tells it at once.
   */
  void add(User user) {
    users.add(user);
    String failed = failure;
    if (failed != null) {
      user.lost(failed);
    }
  }

  void remove(User user) {
    users.remove(user);
  }

  /** Stays open until {@link #remove(VerbsDomain)}. */
  void add(VerbsDomain domain) {
    domains.add(domain);
  }

  void remove(VerbsDomain domain) {
    domains.remove(domain);
  }

  /** Takes one event, if there is one, and ends the connections that it concerns. */
  void takeEvent() throws IOException {
    verbs.takeAsyncEvent(context, this::handle);
  }

  private void handle(AsyncEvent event) {
    long element = event.element();
    switch (event.type()) {
      case VerbsLayout.EVENT_DEVICE_FATAL ->
          fail("RDMA device " + name + " reports a fatal error; it may have been removed");
      case VerbsLayout.EVENT_CQ_ERR ->
          warnAndEnd(user -> true, "a completion queue of RDMA device " + name + " overran");
      case VerbsLayout.EVENT_PORT_ERR ->
          warnAndEnd(
              user -> user.port() == element,
              "port " + element + " of RDMA device " + name + " is down");
      case VerbsLayout.EVENT_QP_FATAL ->
          endAll(user -> user.pair() == element, "the queue pair failed in RDMA device " + name);
      case VerbsLayout.EVENT_QP_REQ_ERR ->
          endAll(user -> user.pair() == element, "the peer sent a request that makes no sense");
      case VerbsLayout.EVENT_QP_ACCESS_ERR ->
          endAll(
              user -> user.pair() == element,
              "the NIC refused a read of memory that is not served");
      default -> {} // such as a new GID, or the first packet of a queue pair
    }
  }

  /** Ends all connections, and those that are added later. */
  void fail(String reason) {
    failure = reason;
    warnAndEnd(user -> true, reason);
  }

  /** Whether it is of no use any more, for good. */
  boolean hasFailed() {
    return failure != null;
  }

  /** Ends the connections that an event of the whole device or of a port concerns. */
  private void warnAndEnd(Predicate<User> which, String reason) {
    LOG.warn("verbs: {}; its connections end", reason);
    endAll(which, reason);
  }

  private void endAll(Predicate<User> which, String reason) {
    users.stream().filter(which).forEach(user -> user.lost(reason));
  }

  /**
   * Closes it. While a domain is not freed, a queue pair or a registration may still use the
   * device; it stays open then, because their end would crash the process after it.
   */
  void close() throws IOException {
    if (!domains.isEmpty()) {
      throw new IOException("RDMA device " + name + " stays open, because a domain of it is used");
    }
    verbs.close(context);
  }

  @Override
  public String toString() {
    return name;
  }
}
