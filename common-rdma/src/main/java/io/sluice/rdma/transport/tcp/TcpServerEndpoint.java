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
 * <p>Who connects has a short time to show its ticket, in the small share of those who have not;
 * see {@link Admission} for who is let in then.
 *
 * <p>Thread contract: safe from any thread; one daemon thread accepts, one per connection serves,
 * one watches for clients that stall. Ownership: the caller closes; that ends all of them.
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
  private final UnauthenticatedLimit<SocketChannel> unproved;
  private final TcpServerContext serving;

  private TcpServerEndpoint(
      ServerSocketChannel listener,
      Admission admission,
      Deadlines stallWatch,
      IntFunction<ByteBuffer> memory)
      throws IOException {
    this.stallWatch = stallWatch;
    this.address = (InetSocketAddress) listener.getLocalAddress();
    ConnectionLimits limits = admission.limits();
    this.unproved =
        new UnauthenticatedLimit<>(
            limits.maxUnproved(),
            limits.proofTimeoutMs(),
            stallWatch,
            (channel, reason) -> {
              admission.expelled();
              Sockets.shutdown(channel);
            });
    this.serving = new TcpServerContext(regions, admission, unproved, meter, memory);
    this.acceptor = new Acceptor(listener);
  }

  static TcpServerEndpoint open(
      InetSocketAddress bindAddress, Admission admission, TcpServerTimeouts patience)
      throws TransportException {
    return open(bindAddress, admission, patience, OffHeap::allocate);
  }

  /** As above, with {@code memory} for what {@link OffHeap#free} frees: a test has it refused. */
  static TcpServerEndpoint open(
      InetSocketAddress bindAddress,
      Admission admission,
      TcpServerTimeouts patience,
      IntFunction<ByteBuffer> memory)
      throws TransportException {
    try {
      ServerSocketChannel listener = ServerSocketChannel.open();
      try {
        listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        listener.bind(bindAddress, ConnectionLimits.BACKLOG);
        return start(listener, admission, patience, memory);
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

  /** Takes the listener over; if that fails, it is still the caller's. */
  private static TcpServerEndpoint start(
      ServerSocketChannel listener,
      Admission admission,
      TcpServerTimeouts patience,
      IntFunction<ByteBuffer> memory)
      throws IOException {
    Deadlines stallWatch = new Deadlines("sluice-tcp-stall-watch");
    try {
      TcpServerEndpoint endpoint = new TcpServerEndpoint(listener, admission, stallWatch, memory);
      long idleLimitMs = admission.limits().idleTimeoutMs();
      stallWatch.every(
          Math.max(1, Math.min(patience.shortestMs(), idleLimitMs) / 4),
          () -> endpoint.connections.forEach(c -> c.shutdownIfLate(patience, idleLimitMs)));
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
      connection = new TcpServerConnection(serving, channel, connections::remove);
    } catch (RuntimeException | Error e) {
      channel.close(); // so that the client need not wait for its deadline
      throw e;
    }
    try {
      Sockets.configure(channel);
      Thread server =
          DaemonThreads.create("sluice-tcp-serve-" + connection, SERVER_STACK_BYTES, connection);
      connections.add(connection);
      unproved.enter(channel, channel.socket().getInetAddress());
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
   * How long a server waits for a client that takes no bytes of what it has asked for.
   *
   * @param stallLimitMs as a rule
   * @param lendLimitMs while those bytes lie in memory that was lent for sending them: half of what
   *     others wait for that memory, or one client keeps a device from all
   */
  record TcpServerTimeouts(long stallLimitMs, long lendLimitMs) {
    static final TcpServerTimeouts DEFAULT = new TcpServerTimeouts(60_000, 10_000);

    long shortestMs() {
      return Math.min(stallLimitMs, lendLimitMs);
    }
  }

  /**
   * What the connections of one TCP server share: how they let in, serve and count.
   *
   * <p>Thread contract: safe from any thread.
   *
   * @param unproved the sockets of clients that have not shown yet what lets them in
   * @param memory where a connection has its buffers from, which {@link OffHeap#free} frees
   */
  record TcpServerContext(
      TcpRegions regions,
      Admission admission,
      UnauthenticatedLimit<SocketChannel> unproved,
      TransportMeter meter,
      IntFunction<ByteBuffer> memory) {}

  /**
   * Accepts connections and hands each over.
   *
   * <p>Thread contract: {@link #start} once, {@link #close} from any thread; the rest runs on its
   * own daemon thread. Failure: an accept that fails (out of file descriptors, mostly) is logged
   * and tried again, because giving up would cut this node off until a restart; nothing is lost by
   * it, the client sees a connect that fails.
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
