package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.support.Deadlines;
import io.sluice.rdma.transport.support.UnauthenticatedLimit;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all server endpoints at one address share: the listening socket, the threads, the opened
 * devices and their completion queues. A host with several rails has a socket at the address of
 * each, and clients may come in at any of them. A client's ticket tells which endpoint expects it.
 *
 * <p>A client without a ticket has a socket, and nothing else. It counts against one limit, that of
 * the first endpoint.
 *
 * <p>Thread contract: safe from any thread; one daemon thread accepts and sets up connections, one
 * takes the events of the devices, one ends clients that are too slow. Ownership: each endpoint has
 * it open until {@link #leave}; the last one closes it.
 */
final class VerbsListener {
  private static final Logger LOG = LoggerFactory.getLogger(VerbsListener.class);
  private static final long PAUSE_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final VerbsDevices devices;
  private final VerbsServerQueues queues;
  private final VerbsNetwork network;
  private final Deadlines deadlines;
  private final SocketLoop loop;
  private final List<ServerSocketChannel> sockets;
  private final List<InetSocketAddress> addresses = new ArrayList<>(); // of the sockets
  private final Admission first;
  private final UnauthenticatedLimit<SocketChannel> unauthenticated;
  private final Set<VerbsServerEndpoint> endpoints = ConcurrentHashMap.newKeySet();
  private final Set<VerbsDomains> left = ConcurrentHashMap.newKeySet();
  private int users = 1; // under this

  /** Takes over all that it is given; if that fails, the caller still owns it. */
  private VerbsListener(
      VerbsDevices devices,
      VerbsServerQueues queues,
      VerbsNetwork network,
      Deadlines deadlines,
      SocketLoop loop,
      List<ServerSocketChannel> sockets,
      Admission first)
      throws IOException {
    this.devices = devices;
    this.queues = queues;
    this.network = network;
    this.deadlines = deadlines;
    this.loop = loop;
    this.sockets = sockets;
    for (ServerSocketChannel socket : sockets) {
      addresses.add((InetSocketAddress) socket.getLocalAddress());
    }
    this.first = first;
    ConnectionLimits limits = first.limits();
    this.unauthenticated =
        new UnauthenticatedLimit<>(
            limits.maxUnauthenticated(),
            limits.authenticationTimeoutMs(),
            deadlines,
            (channel, reason) -> {
              first.expelled();
              ControlSocket.shutdown(channel);
            });
  }

  /**
   * Binds an address; accepts nobody before {@link #accept}.
   *
   * @param rails further addresses; those that have no RDMA port are left out
   * @param first of the first endpoint; it counts clients that show no ticket
   */
  static VerbsListener open(
      Verbs verbs,
      Path sysClass,
      InetSocketAddress bindAddress,
      List<InetAddress> rails,
      Admission first,
      VerbsNetwork network)
      throws TransportException {
    if (bindAddress.isUnresolved()) {
      throw new TransportException("verbs: cannot listen on unresolved address " + bindAddress);
    }
    List<InetAddress> wanted = new ArrayList<>(List.of(bindAddress.getAddress()));
    wanted.addAll(rails);
    VerbsDevices devices = VerbsDevices.openFor(verbs, sysClass, wanted, network.partitionKey());
    try {
      return open(devices, devices.served(wanted), bindAddress.getPort(), first, network);
    } catch (IOException e) {
      Closer.after(e, devices::close);
      throw new TransportException(
          "verbs: cannot listen on "
              + wanted
              + " port "
              + bindAddress.getPort()
              + ": "
              + ErrorText.of(e)
              + "; choose an address of this host's RDMA device and a free port",
          e);
    } catch (RuntimeException | Error e) {
      Closer.after(e, devices::close);
      throw e;
    }
  }

  /** Takes over the devices; if that fails, the caller still owns them. */
  private static VerbsListener open(
      VerbsDevices devices,
      List<InetAddress> served,
      int port,
      Admission first,
      VerbsNetwork network)
      throws IOException {
    Deque<Closeable> opened = new ArrayDeque<>(); // the last one first
    try {
      VerbsServerQueues queues = VerbsServerQueues.create(devices);
      opened.push(queues::close);
      Deadlines deadlines = new Deadlines("sluice-verbs-server-deadlines");
      opened.push(deadlines::close);
      SocketLoop loop = SocketLoop.start("sluice-verbs-server");
      opened.push(loop::close);
      List<ServerSocketChannel> sockets = new ArrayList<>();
      for (InetAddress address : served) {
        ServerSocketChannel socket = ServerSocketChannel.open();
        opened.push(socket);
        socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        socket.bind(new InetSocketAddress(address, port), ConnectionLimits.BACKLOG);
        socket.configureBlocking(false);
        sockets.add(socket);
      }
      return new VerbsListener(devices, queues, network, deadlines, loop, sockets, first);
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, opened);
      throw e;
    }
  }

  /** From now on clients are accepted. */
  void accept() throws TransportException {
    try {
      for (ServerSocketChannel socket : sockets) {
        loop.add(socket, SelectionKey.OP_ACCEPT, new Acceptor(socket));
      }
    } catch (IOException e) {
      throw new TransportException("verbs: cannot accept on " + addresses, e);
    }
  }

  /** Where clients should connect: nowhere on a rail that is down, unless all are. */
  List<InetSocketAddress> rails() {
    if (addresses.size() == 1) {
      return addresses; // the device is not asked
    }
    try {
      enter(); // so that no device is closed while it is asked
    } catch (TransportException e) {
      return addresses; // it has ended, and no client can connect
    }
    try {
      List<InetSocketAddress> up =
          addresses.stream().filter(each -> devices.isUp(each.getAddress())).toList();
      return up.isEmpty() ? addresses : up;
    } finally {
      leave();
    }
  }

  /** The first one. */
  InetSocketAddress address() {
    return addresses.get(0);
  }

  VerbsDevices devices() {
    return devices;
  }

  VerbsServerQueues queues() {
    return queues;
  }

  VerbsNetwork network() {
    return network;
  }

  Deadlines deadlines() {
    return deadlines;
  }

  /** The sockets of clients that have not shown a ticket yet. */
  UnauthenticatedLimit<SocketChannel> unauthenticated() {
    return unauthenticated;
  }

  /** Keeps it open for one more endpoint, until {@link #leave}. */
  synchronized void enter() throws TransportException {
    if (users == 0) {
      throw new TransportException("verbs: the endpoints at " + addresses + " are closed");
    }
    if (loop.hasEnded()) {
      throw new TransportException("verbs: the thread that accepts at " + addresses + " has ended");
    }
    users++;
  }

  /** An endpoint uses it no more. */
  void leave() {
    Stream<Runnable> ends = // first: there may be no memory for it later
        Stream.of(loop::close, this::closeSockets, deadlines::close, this::closeDevices);
    synchronized (this) {
      if (--users > 0) {
        return;
      }
    }
    Closer.all(ends);
  }

  /** Frees domains at its own end, because a connection may still use them. */
  void freeAtEnd(VerbsDomains domains) {
    left.add(domains);
  }

  /** From now on clients that the endpoint expects are led to it. */
  void add(VerbsServerEndpoint endpoint) {
    endpoints.add(endpoint);
  }

  /** From now on its clients are strangers. */
  void remove(VerbsServerEndpoint endpoint) {
    endpoints.remove(endpoint);
  }

  /** The endpoint that expects a client with a ticket; empty for a stranger, who is counted. */
  Optional<VerbsServerEndpoint> expecting(Ticket ticket) {
    for (VerbsServerEndpoint endpoint : endpoints) {
      if (endpoint.admission().mayEnter(ticket)) {
        return Optional.of(endpoint);
      }
    }
    first.expelled();
    return Optional.empty();
  }

  /** Counts a client that has sent something malformed before it has shown a ticket. */
  void dropped() {
    first.dropped();
  }

  private void closeSockets() {
    sockets.forEach(this::close);
  }

  private void close(ServerSocketChannel socket) {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.warn("verbs: closing a listener on {} failed", addresses, e);
    }
  }

  /** Closes the devices unless the loop still uses them, because that would crash the process. */
  private void closeDevices() {
    if (!loop.hasEnded()) {
      return;
    }
    try {
      Closer.all(
          () -> Closer.all(left.stream().map(each -> each::close)), queues::close, devices::close);
    } catch (IOException e) {
      throw new UncheckedIOException("verbs: a completion queue cannot be destroyed", e);
    }
  }

  /**
   * Accepts clients.
   *
   * <p>Thread contract: on the loop's thread. Failure: an accept that fails, mostly for want of
   * file descriptors, is logged and tried again; the client's connect fails.
   */
  private final class Acceptor implements SocketLoop.Member {
    private final ServerSocketChannel socket;

    Acceptor(ServerSocketChannel socket) {
      this.socket = socket;
    }

    @Override
    public void ready() {
      try {
        SocketChannel channel = socket.accept();
        if (channel != null) {
          serve(channel);
        }
      } catch (IOException | RuntimeException | Error e) {
        SafeLog.warn(
            LOG,
            "verbs: cannot take a connection on {}, trying again; raise the limit on open files"
                + " (ulimit -n) if that is the cause",
            addresses,
            e);
        LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS);
      }
    }

    private void serve(SocketChannel channel) throws IOException {
      VerbsServerConnection connection = null;
      try {
        ControlSocket.configure(channel);
        channel.configureBlocking(false);
        connection = new VerbsServerConnection(VerbsListener.this, channel);
        unauthenticated.enter(channel, channel.socket().getInetAddress());
        loop.add(channel, SelectionKey.OP_READ, connection);
      } catch (IOException | RuntimeException | Error e) {
        if (connection != null) {
          connection.end(e);
        }
        Closer.after(e, channel);
        throw e;
      }
    }

    @Override
    public void end(Throwable cause) {
      close(socket);
    }
  }
}
