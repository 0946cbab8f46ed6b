package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.support.Deadlines;
import io.sluice.rdma.transport.support.TransportMeter;
import io.sluice.rdma.transport.support.UnauthenticatedLimit;
import io.sluice.rdma.transport.verbs.VerbsServerConnection.VerbsServerContext;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers memory with the NIC and accepts connections; the NIC answers the reads.
 *
 * <p>No RDMA port listens: clients connect over TCP, show their ticket, and only then get a queue
 * pair. It has a protection domain of its own on each device. So the NIC refuses the keys of other
 * endpoints, and each refused client has nothing but a socket.
 *
 * <p>Thread contract: safe from any thread; one daemon thread accepts and sets up connections, one
 * takes the events of the devices. Ownership: the caller closes.
 */
final class VerbsServerEndpoint implements ServerEndpoint {
  private static final Logger LOG = LoggerFactory.getLogger(VerbsServerEndpoint.class);
  private static final long PAUSE_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final VerbsDevices devices;
  private final int access;
  private final VerbsServerQueues queues;
  private final Deadlines deadlines;
  private final SocketLoop loop;
  private final ServerSocketChannel listener;
  private final InetSocketAddress address;
  private final TransportMeter meter = new TransportMeter();
  private final Set<VerbsServerConnection> connections = ConcurrentHashMap.newKeySet();
  private final UnauthenticatedLimit<SocketChannel> unauthenticated;
  private final VerbsServerContext context;
  private final Map<RegionDescriptor, VerbsRegion> regions = new HashMap<>(); // under this
  private long nextRegionId = 1; // under this
  private boolean closed; // under this

  /** Takes over all that it is given; if that fails, the caller still owns it. */
  private VerbsServerEndpoint(
      VerbsDevices devices,
      VerbsServerQueues queues,
      Deadlines deadlines,
      SocketLoop loop,
      ServerSocketChannel listener,
      Admission admission,
      VerbsNetwork network)
      throws IOException {
    this.devices = devices;
    this.access =
        VerbsLayout.ACCESS_REMOTE_READ
            | (network.onDemandPaging() ? VerbsLayout.ACCESS_ON_DEMAND : 0);
    this.queues = queues;
    this.deadlines = deadlines;
    this.loop = loop;
    this.listener = listener;
    this.address = (InetSocketAddress) listener.getLocalAddress();
    ConnectionLimits limits = admission.limits();
    this.unauthenticated =
        new UnauthenticatedLimit<>(
            limits.maxUnauthenticated(),
            limits.authenticationTimeoutMs(),
            deadlines,
            (channel, reason) -> {
              admission.expelled();
              ControlSocket.shutdown(channel);
            });
    this.context =
        new VerbsServerContext(
            queues, network, admission, unauthenticated, deadlines, meter, connections);
    loop.add(listener, SelectionKey.OP_ACCEPT, new Acceptor()); // last: now clients come
  }

  static VerbsServerEndpoint open(
      Verbs verbs,
      Path sysClass,
      InetSocketAddress bindAddress,
      Admission admission,
      VerbsNetwork network)
      throws TransportException {
    if (bindAddress.isUnresolved()) {
      throw new TransportException("verbs: cannot listen on unresolved address " + bindAddress);
    }
    VerbsDevices devices =
        VerbsDevices.openFor(verbs, sysClass, bindAddress.getAddress(), network.partitionKey());
    try {
      return open(devices, bindAddress, admission, network);
    } catch (IOException e) {
      Closer.after(e, devices::close);
      throw new TransportException(
          "verbs: cannot listen on "
              + bindAddress
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
  private static VerbsServerEndpoint open(
      VerbsDevices devices,
      InetSocketAddress bindAddress,
      Admission admission,
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
      ServerSocketChannel listener = ServerSocketChannel.open();
      opened.push(listener);
      listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      listener.bind(bindAddress, ConnectionLimits.BACKLOG);
      listener.configureBlocking(false);
      return new VerbsServerEndpoint(
          devices, queues, deadlines, loop, listener, admission, network);
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, opened);
      throw e;
    }
  }

  @Override
  public InetSocketAddress address() {
    return address;
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
        VerbsRegion.register(devices, memory.mapping(), memory.lengthBytes(), access);
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
      for (VerbsServerConnection connection : connections) {
        connection.destroyPair();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      Closer.all(Stream.of(loop::close, deadlines::close, this::deregisterAll, this::closeDevices));
    }
  }

  private void deregisterAll() {
    List<RegionDescriptor> all = new ArrayList<>(regions.keySet());
    Closer.all(all.stream().map(region -> () -> deregister(region)));
  }

  /** Closes the devices unless the loop still uses them, because that would crash the process. */
  private void closeDevices() {
    if (!loop.hasEnded()) {
      return;
    }
    try {
      Closer.all(queues::close, devices::close);
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
    @Override
    public void ready() {
      try {
        SocketChannel channel = listener.accept();
        if (channel != null) {
          serve(channel);
        }
      } catch (IOException | RuntimeException | Error e) {
        SafeLog.warn(
            LOG,
            "verbs: cannot take a connection on {}, trying again; raise the limit on open files"
                + " (ulimit -n) if that is the cause",
            address,
            e);
        LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS);
      }
    }

    private void serve(SocketChannel channel) throws IOException {
      VerbsServerConnection connection = null;
      try {
        ControlSocket.configure(channel);
        channel.configureBlocking(false);
        connection = new VerbsServerConnection(context, channel);
        connections.add(connection);
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
      try {
        listener.close();
      } catch (IOException e) {
        LOG.warn("verbs: closing the listener on {} failed", address, e);
      }
    }
  }
}
