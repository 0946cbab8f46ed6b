package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.support.ClientEndpointBase;
import io.sluice.rdma.transport.support.ClientEndpointBase.ClientResources;
import io.sluice.rdma.transport.support.ClientEndpointBase.EndpointBuffer;
import io.sluice.rdma.transport.support.Deadlines;
import io.sluice.rdma.transport.support.PendingRead;
import io.sluice.rdma.transport.support.ReadFactory;
import io.sluice.rdma.transport.support.Uninterruptibly;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/**
 * The reading side over UCX: registered buffers and connections.
 *
 * <p>Thread contract: safe from any thread; one loop carries all connections. Ownership: the caller
 * closes it.
 */
final class UcxClientEndpoint extends ClientEndpointBase {
  private final UcxSettings settings;
  private final UcxLoop loop;

  private UcxClientEndpoint(UcxSettings settings, UcxLoop loop) {
    super(TransportNames.UCX);
    this.settings = settings;
    this.loop = loop;
  }

  static UcxClientEndpoint open(UcxSettings settings) throws TransportException {
    UcxLoop loop = UcxLoop.start("sluice-ucx-client", settings);
    try {
      return new UcxClientEndpoint(settings, loop);
    } catch (RuntimeException | Error e) {
      loop.close();
      throw e;
    }
  }

  @Override
  public RegisteredBuffer register(ByteBuffer direct) throws TransportException {
    if (!direct.isDirect()) {
      throw new IllegalArgumentException("only direct memory can be registered");
    }
    UcxRegion region =
        loop.call("registering a buffer", () -> UcxRegion.toLandIn(loop, settings, direct));
    return resources().registered(new UcxRegisteredBuffer(resources(), loop, direct, region));
  }

  @Override
  public Connection connect(InetSocketAddress remote, Ticket ticket, long timeoutMs)
      throws TransportException {
    requireOpen();
    if (remote.isUnresolved()) {
      throw new ConnectFailedException("ucx: cannot connect to unresolved address " + remote);
    }
    if (!(remote.getAddress() instanceof Inet4Address)) {
      throw new ConnectFailedException("ucx: cannot connect to " + remote + ": IPv4 only");
    }
    UcxConnection connection = resources().began(new UcxConnection(resources(), loop, remote));
    connection.connect(timeoutMs);
    return connection;
  }

  @Override
  protected void closeRest() {
    loop.close();
  }

  /** A buffer to read into that is registered with the NIC. */
  static final class UcxRegisteredBuffer extends EndpointBuffer {
    private final UcxLoop loop;
    private final UcxRegion region;

    UcxRegisteredBuffer(
        ClientResources resources, UcxLoop loop, ByteBuffer direct, UcxRegion region) {
      super(resources, direct);
      this.loop = loop;
      this.region = region;
    }

    @Override
    protected void release() {
      try {
        loop.call(
            "deregistering a buffer",
            () -> {
              region.deregister();
              return null;
            });
      } catch (TransportException e) {
        throw new IllegalStateException(e.getMessage() + "; the memory must not be freed", e);
      }
      resources().deregistered(this);
    }
  }

  /**
   * The client's end of a UCX connection, for callers on any thread.
   *
   * <p>Its sibling {@link UcxReads} does the work on the loop. Thread contract: safe from any
   * thread. Ownership: see {@link Connection}.
   */
  static final class UcxConnection implements Connection {
    private static final long END_LIMIT_MS = 10_000;

    private final ClientResources resources;
    private final UcxLoop loop;
    private final InetSocketAddress remote;
    private final ReadFactory factory;
    private final UcxReads reads;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean closed;

    UcxConnection(ClientResources resources, UcxLoop loop, InetSocketAddress remote) {
      this.resources = resources;
      this.loop = loop;
      this.remote = remote;
      this.factory = new ReadFactory(resources, remote.toString(), this::submit, this::late);
      this.reads = new UcxReads(loop, remote, resources.meter(), this::ended);
    }

    void connect(long timeoutMs) throws ConnectFailedException {
      if (timeoutMs <= 0) {
        throw new IllegalArgumentException("connect timeout must be positive, is " + timeoutMs);
      }
      Deadlines.Deadline deadline =
          resources
              .deadlines()
              .after(timeoutMs, () -> end("no answer within " + timeoutMs + " ms"));
      CountDownLatch decided = new CountDownLatch(1);
      if (!loop.execute(() -> reads.connect(decided::countDown))) {
        ended();
        throw new ConnectFailedException("ucx: the client endpoint is closed");
      }
      boolean inTime = Uninterruptibly.await(decided, timeoutMs + END_LIMIT_MS);
      deadline.cancel();
      if (!inTime || !reads.isOpen()) {
        close();
        throw new ConnectFailedException(
            "ucx: cannot connect to "
                + remote
                + " within "
                + timeoutMs
                + " ms: "
                + reads.endReason()
                + "; is the Sluice service up there, listening on an address of its RDMA device?");
      }
    }

    @Override
    public CompletableFuture<Void> read(
        RegionDescriptor region,
        long remoteOffsetBytes,
        RegisteredBuffer destination,
        int destinationOffsetBytes,
        int lengthBytes,
        long timeoutMs) {
      return factory.start(
          region, remoteOffsetBytes, destination, destinationOffsetBytes, lengthBytes, timeoutMs);
    }

    private void submit(PendingRead read) {
      if (!loop.execute(() -> reads.issue(read))) {
        read.fail(new ConnectionLostException(read + " failed: the client endpoint is closed"));
      }
    }

    private void late(PendingRead read) {
      if (!loop.execute(() -> reads.late(read))) {
        read.failLate(); // the loop has ended, so nothing writes any more
      }
    }

    @Override
    public boolean isOpen() {
      return !closed && reads.isOpen();
    }

    @Override
    public void close() {
      closed = true; // seen by a callback that calls this; the loop ends the connection after it
      end("closed by this side");
      if (!loop.isLoopThread() && !Uninterruptibly.await(ended, END_LIMIT_MS)) {
        throw new IllegalStateException(
            this
                + " did not end within "
                + END_LIMIT_MS
                + " ms; a callback of one of its reads must be blocking");
      }
    }

    private void end(String reason) {
      if (!loop.execute(() -> reads.end(reason))) {
        ended();
      }
    }

    private void ended() {
      resources.ended(this);
      ended.countDown();
    }

    @Override
    public String toString() {
      return "ucx connection to " + remote;
    }
  }
}
