package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.support.Deadlines;
import io.sluice.rdma.transport.support.TransportMeter;
import io.sluice.rdma.transport.support.UnauthenticatedLimit;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves regions over TCP, each connection on a thread of its own.
 *
 * <p>A client must show its ticket within a short time; {@link UnauthenticatedLimit} bounds the
 * clients that have not done so. {@link Admission} then decides which clients are let in.
 *
 * <p>Thread contract: safe from any thread; one daemon thread accepts, one per connection serves,
 * one watches for clients that stall. Ownership: the caller closes it, which ends all of these
 * threads.
 */
final class TcpServerEndpoint implements ServerEndpoint {
  /** A serving thread needs little stack, and there may be a thousand. */
  private static final long SERVER_STACK_BYTES = 256 << 10;

  private final InetSocketAddress address;
  private final Acceptor acceptor;
  private final Set<TcpServerConnection> connections = ConcurrentHashMap.newKeySet();
  private final TransportMeter meter = new TransportMeter();
  private final TcpRegions regions = new TcpRegions(meter);
  private final Deadlines stallWatch;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final UnauthenticatedLimit<SocketChannel> unauthenticated;
  private final TcpServerContext context;

  private TcpServerEndpoint(
      ServerSocketChannel listener,
      Admission admission,
      Deadlines stallWatch,
      IntFunction<ByteBuffer> memory)
      throws IOException {
    this.stallWatch = stallWatch;
    this.address = (InetSocketAddress) listener.getLocalAddress();
    ConnectionLimits limits = admission.limits();
    this.unauthenticated =
        new UnauthenticatedLimit<>(
            limits.maxUnauthenticated(),
            limits.authenticationTimeoutMs(),
            stallWatch,
            (channel, reason) -> {
              admission.expelled();
              Sockets.shutdown(channel);
            });
    this.context = new TcpServerContext(regions, admission, unauthenticated, meter, memory);
    this.acceptor = new Acceptor(listener);
  }

  static TcpServerEndpoint open(
      InetSocketAddress bindAddress, Admission admission, TcpServerTimeouts timeouts)
      throws TransportException {
    return open(bindAddress, admission, timeouts, OffHeap::allocate);
  }

  /** Opens an endpoint with its own allocator of off-heap memory: a test refuses memory. */
  static TcpServerEndpoint open(
      InetSocketAddress bindAddress,
      Admission admission,
      TcpServerTimeouts timeouts,
      IntFunction<ByteBuffer> memory)
      throws TransportException {
    try {
      ServerSocketChannel listener = ServerSocketChannel.open();
      try {
        listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        listener.bind(bindAddress, ConnectionLimits.BACKLOG);
        return start(listener, admission, timeouts, memory);
      } catch (IOException | RuntimeException | Error e) {
        listener.close();
        throw e;
      }
    } catch (IOException e) {
      throw new TransportException(
          "tcp: cannot listen on "
              + bindAddress
              + ": "
              + ErrorText.of(e)
              + "; choose an address of this host and a free port",
          e);
    }
  }

  /** Takes over the listener; if that fails, the caller still owns it. */
  private static TcpServerEndpoint start(
      ServerSocketChannel listener,
      Admission admission,
      TcpServerTimeouts timeouts,
      IntFunction<ByteBuffer> memory)
      throws IOException {
    Deadlines stallWatch = new Deadlines("sluice-tcp-stall-watch");
    try {
      TcpServerEndpoint endpoint = new TcpServerEndpoint(listener, admission, stallWatch, memory);
      long idleLimitMs = admission.limits().idleTimeoutMs();
      stallWatch.every(
          Math.max(1, Math.min(timeouts.shortestMs(), idleLimitMs) / 4),
          () -> endpoint.connections.forEach(c -> c.shutdownIfLate(timeouts, idleLimitMs)));
      endpoint.acceptor.start(); // last: from here on there are connections
      return endpoint;
    } catch (IOException | RuntimeException | Error e) {
      stallWatch.close();
      throw e;
    }
  }

  @Override
  public InetSocketAddress address() {
    return address;
  }

  @Override
  public RegionDescriptor register(MemoryRegion memory) throws TransportException {
    RegionDescriptor descriptor = regions.register(memory);
    if (closed.get()) {
      deregister(descriptor);
      throw new TransportException("tcp: server endpoint " + address + " is closed");
    }
    return descriptor;
  }

  @Override
  public void deregister(RegionDescriptor descriptor) {
    regions.deregister(descriptor);
  }

  @Override
  public TransportCounters counters() {
    return meter.snapshot();
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    acceptor.close();
    stallWatch.close();
    connections.forEach(TcpServerConnection::shutdown);
    connections.forEach(TcpServerConnection::awaitEnd);
    regions.deregisterAll();
  }

  private void serve(SocketChannel channel) throws IOException {
    TcpServerConnection connection;
    try {
      connection = new TcpServerConnection(context, channel, connections::remove);
    } catch (RuntimeException | Error e) {
      channel.close(); // so that the client need not wait for its deadline
      throw e;
    }
    try {
      Sockets.configure(channel);
      Thread server =
          DaemonThreads.create("sluice-tcp-serve-" + connection, SERVER_STACK_BYTES, connection);
      connections.add(connection);
      unauthenticated.enter(channel, channel.socket().getInetAddress());
      if (closed.get()) {
        connection.shutdown();
      }
      server.start();
    } catch (IOException | RuntimeException | Error e) {
      connection.abandon();
      throw e;
    }
  }

  /**
   * How long a server waits for a client that does not read the bytes that it requested.
   *
   * @param stallLimitMs the general limit
   * @param lendLimitMs the limit while those bytes lie in lent memory: half of the time that others
   *     wait for that memory, so that one client cannot block a device
   */
  record TcpServerTimeouts(long stallLimitMs, long lendLimitMs) {
    static final TcpServerTimeouts DEFAULT = new TcpServerTimeouts(60_000, 10_000);

    long shortestMs() {
      return Math.min(stallLimitMs, lendLimitMs);
    }
  }

  /**
   * The objects that the connections of one TCP server share.
   *
   * <p>Thread contract: safe from any thread.
   *
   * @param unauthenticated the sockets of clients that have not shown a ticket yet
   * @param memory allocates a connection's buffers, which {@link OffHeap#free} frees
   */
  record TcpServerContext(
      TcpRegions regions,
      Admission admission,
      UnauthenticatedLimit<SocketChannel> unauthenticated,
      TransportMeter meter,
      IntFunction<ByteBuffer> memory) {}

  /**
   * Accepts connections and starts to serve each.
   *
   * <p>Thread contract: {@link #start} once, {@link #close} from any thread; the rest runs on its
   * own daemon thread. Failure: an accept that fails, mostly for want of file descriptors, is
   * logged and tried again. To give up would cut off this node until a restart. Nothing is lost:
   * the client's connect fails.
   */
  private final class Acceptor implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(TcpServerEndpoint.class);
    private static final long PAUSE_AFTER_FAILURE_MS = 100;

    private final ServerSocketChannel listener;
    private final Thread thread;

    private Acceptor(ServerSocketChannel listener) {
      this.listener = listener;
      this.thread = DaemonThreads.create("sluice-tcp-accept-" + address.getPort(), this);
    }

    void start() {
      thread.start();
    }

    @Override
    public void run() {
      while (listener.isOpen()) {
        try {
          serve(listener.accept());
        } catch (ClosedChannelException e) {
          return;
        } catch (IOException | RuntimeException | Error e) {
          SafeLog.warn(
              LOG,
              "tcp: cannot take a connection on {}, trying again; raise the limit on open files"
                  + " (ulimit -n) or threads (ulimit -u) if that is the cause",
              address,
              e);
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_AFTER_FAILURE_MS));
        }
      }
    }

    void close() {
      try {
        listener.close();
        thread.join(TimeUnit.SECONDS.toMillis(10));
      } catch (IOException e) {
        LOG.warn("tcp: closing the listener on {} failed", address, e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
