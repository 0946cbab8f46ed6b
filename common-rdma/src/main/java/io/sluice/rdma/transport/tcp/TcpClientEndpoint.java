package io.sluice.rdma.transport.tcp;

import static io.sluice.rdma.transport.tcp.TcpProtocol.*;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.support.ClientEndpointBase;
import io.sluice.rdma.transport.support.ClientEndpointBase.ClientResources;
import io.sluice.rdma.transport.support.ClientEndpointBase.EndpointBuffer;
import io.sluice.rdma.transport.support.Deadlines;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * The reading side over TCP: connections, the threads that receive for them, and the timer of their
 * deadlines.
 *
 * <p>Registration costs nothing here and pins nothing; it exists so that callers work with all
 * providers. Thread contract: safe from any thread. Ownership: the caller closes it.
 */
final class TcpClientEndpoint extends ClientEndpointBase {
  /**
   * The least number of receiving threads, also on few processors: among many busy threads, two get
   * little time.
   */
  private static final int MOST_LOOPS = 8;

  private final TcpReadLoops loops;

  TcpClientEndpoint() {
    this(MOST_LOOPS);
  }

  /** Opens an endpoint with at most this many receiving threads. */
  TcpClientEndpoint(int mostLoops) {
    super(TransportNames.TCP);
    loops = new TcpReadLoops(mostLoops, resources().deadlines());
  }

  @Override
  public RegisteredBuffer register(ByteBuffer direct) throws TransportException {
    requireOpen();
    return resources().registered(new TcpRegisteredBuffer(resources(), direct));
  }

  @Override
  public Connection connect(InetSocketAddress remote, Ticket ticket, long timeoutMs)
      throws TransportException {
    requireOpen();
    TcpConnection connection =
        resources().began(TcpConnector.connect(resources(), loops, remote, ticket, timeoutMs));
    resources().meter().connectionOpened();
    try {
      connection.start();
    } catch (IOException | RuntimeException e) {
      throw new ConnectFailedException(
          "tcp: cannot receive from " + remote + ": " + ErrorText.of(e), e);
    }
    if (isClosed()) {
      connection.close();
      throw new ConnectFailedException("tcp: the client endpoint was closed while connecting");
    }
    return connection;
  }

  @Override
  protected void closeRest() {
    loops.close();
  }

  /** A buffer of a TCP client; it only records its endpoint. */
  static final class TcpRegisteredBuffer extends EndpointBuffer {
    TcpRegisteredBuffer(ClientResources resources, ByteBuffer direct) {
      super(resources, direct);
    }

    @Override
    protected void release() {
      resources().deregistered(this);
    }
  }

  /**
   * Connects and does the handshake, within one deadline.
   *
   * <p>Thread contract: safe from any thread; the caller's thread waits. Failure: {@link
   * ConnectFailedException}, with the socket closed.
   */
  static final class TcpConnector {
    private TcpConnector() {}

    static TcpConnection connect(
        ClientResources resources,
        TcpReadLoops loops,
        InetSocketAddress remote,
        Ticket ticket,
        long timeoutMs)
        throws ConnectFailedException {
      if (timeoutMs <= 0 || timeoutMs > Integer.MAX_VALUE) {
        throw new IllegalArgumentException(
            "connect timeout must be 1.." + Integer.MAX_VALUE + " ms, is " + timeoutMs);
      }
      long startNanos = System.nanoTime();
      SocketChannel channel = null;
      AtomicBoolean late = new AtomicBoolean();
      boolean connected = false;
      boolean welcome = false;
      try {
        channel = SocketChannel.open();
        Sockets.configure(channel);
        channel.socket().connect(remote, (int) timeoutMs);
        long leftMs =
            Math.max(1, timeoutMs - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos));
        connected = true;
        SocketChannel shaking = channel;
        Deadlines.Deadline deadline =
            resources
                .deadlines()
                .after(
                    leftMs,
                    () -> {
                      late.set(true);
                      Sockets.shutdown(shaking);
                    });
        try {
          shakeHands(channel, ticket);
        } finally {
          deadline.cancel();
        }
        welcome = true; // later failures are this side's
        channel.configureBlocking(false);
        return TcpConnection.open(resources, loops.next(), channel, remote);
      } catch (IOException | RuntimeException e) {
        ConnectFailedException failure =
            new ConnectFailedException(
                "tcp: cannot connect to "
                    + remote
                    + " within "
                    + timeoutMs
                    + " ms (gave up after "
                    + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos)
                    + " ms): "
                    + ErrorText.of(e)
                    + (welcome ? "" : "; is the Sluice service up there and the port open?"),
                e,
                connected && !welcome && !late.get() && !(e instanceof ProtocolMismatch));
        Closer.after(failure, channel);
        throw failure;
      } catch (Error e) { // mostly for want of memory
        Closer.after(e, channel);
        throw e;
      }
    }

    /** The server speaks another protocol, so a later attempt fails, too. */
    private static final class ProtocolMismatch extends IOException {
      private static final long serialVersionUID = 1L;

      ProtocolMismatch(String message) {
        super(message);
      }
    }

    private static void shakeHands(SocketChannel channel, Ticket ticket) throws IOException {
      ByteBuffer hello = ByteBuffer.allocate(HELLO_BYTES);
      hello.putInt(MAGIC).putShort(VERSION).putShort(OLDEST);
      hello.putLong(ticket.high()).putLong(ticket.low()).flip();
      Sockets.writeFully(channel, hello);
      ByteBuffer welcome = ByteBuffer.allocate(WELCOME_BYTES);
      Sockets.readFully(channel, welcome, "the server's welcome");
      int magic = welcome.getInt(HELLO_MAGIC_OFFSET);
      short version = welcome.getShort(HELLO_VERSION_OFFSET);
      short verdict = welcome.getShort(HELLO_VERDICT_OFFSET);
      if (magic != MAGIC) {
        throw new ProtocolMismatch(
            String.format("not a Sluice server: magic 0x%08X, expected 0x%08X", magic, MAGIC));
      }
      if (version < OLDEST || version > VERSION || verdict == VERDICT_OTHER_VERSION) {
        throw new ProtocolMismatch(
            "server is of another release of Sluice: it speaks version "
                + version
                + " of the protocol, this client speaks "
                + VERSION);
      }
      if (verdict == VERDICT_FULL) {
        throw new IOException(
            "server has reached its limit on connections; try again later, or raise its"
                + " max-connections");
      }
      if (verdict == VERDICT_NOT_EXPECTED) {
        throw new IOException(
            "server does not expect this connection, or no longer does; request a new ticket");
      }
      if (verdict != VERDICT_WELCOME) {
        throw new ProtocolMismatch("server answered with unknown verdict " + verdict);
      }
    }
  }

  /**
   * The few threads of a client endpoint that receive for all its connections. There are several,
   * because one core is too slow for a fast network.
   *
   * <p>Each has two open files, and starts with its first connection. Thread contract: safe from
   * any thread. Ownership: the endpoint closes it, before the timer of its deadlines.
   */
  static final class TcpReadLoops {
    /** How long a callback of a read may take before another thread takes over. */
    private static final long WATCH_MS = 1_000;

    private final int most;
    private final Deadlines deadlines;
    private final List<TcpReadLoop>
        loops; // has its full capacity, so that adding allocates nothing
    private boolean watched;
    private boolean closed;

    /** Starts no thread yet, and later at most this many. */
    TcpReadLoops(int most, Deadlines deadlines) {
      this.most = most;
      this.deadlines = deadlines;
      this.loops = new ArrayList<>(most);
    }

    /**
     * Returns the loop for the next connection: a new one if another may be started, else the one
     * with the fewest connections.
     *
     * @throws IOException if there is none and none can be started, or if this is closed
     */
    synchronized TcpReadLoop next() throws IOException {
      if (closed) {
        throw new IOException("the client endpoint is closed");
      }
      loops.removeIf(TcpReadLoop::hasEnded);
      TcpReadLoop idlest = null;
      for (TcpReadLoop loop : loops) {
        if (idlest == null || loop.members() < idlest.members()) {
          idlest = loop;
        }
      }
      if (idlest == null || (idlest.members() > 0 && loops.size() < most)) {
        idlest = another(idlest);
      }
      if (!watched) {
        deadlines.every(WATCH_MS, this::watch);
        watched = true;
      }
      return idlest;
    }

    private TcpReadLoop another(TcpReadLoop instead) throws IOException {
      try {
        TcpReadLoop another = TcpReadLoop.start("sluice-tcp-read-" + loops.size());
        loops.add(another);
        return another;
      } catch (IOException | OutOfMemoryError e) { // for want of descriptors or threads
        if (instead == null) {
          throw e;
        }
        return instead;
      }
    }

    private void watch() {
      started().forEach(TcpReadLoop::watch);
    }

    private synchronized List<TcpReadLoop> started() {
      return List.copyOf(loops);
    }

    /** Ends all threads and the remaining connections. */
    void close() {
      Stream<Runnable> ends;
      synchronized (this) {
        closed = true;
        ends = started().stream().map(loop -> loop::close);
      }
      Closer.all(ends);
    }
  }
}
