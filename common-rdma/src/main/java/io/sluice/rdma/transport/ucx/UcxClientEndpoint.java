package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ConnectFailedException;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.support.Deadlines;
import io.sluice.rdma.transport.support.TransportMeter;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The reading side over UCX.
 *
 * <p>Thread contract: safe from any thread; one loop carries all connections. Ownership: the caller
 * closes.
 */
final class UcxClientEndpoint implements ClientEndpoint {
  private final UcxSettings settings;
  private final UcxLoop loop;
  private final TransportMeter meter = new TransportMeter();
  private final Deadlines deadlines = new Deadlines("sluice-ucx-deadlines");
  private final Set<UcxConnection> connections = ConcurrentHashMap.newKeySet();
  private final Set<UcxRegisteredBuffer> buffers = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  private UcxClientEndpoint(UcxSettings settings, UcxLoop loop) {
    this.settings = settings;
    this.loop = loop;
  }

  static UcxClientEndpoint open(UcxSettings settings) throws TransportException {
    return new UcxClientEndpoint(settings, UcxLoop.start("sluice-ucx-client", settings));
  }

  @Override
  public RegisteredBuffer register(ByteBuffer direct) throws TransportException {
    if (!direct.isDirect()) {
      throw new IllegalArgumentException("only direct memory can be registered");
    }
    UcxRegion region =
        loop.call("registering a buffer", () -> UcxRegion.toLandIn(loop, settings, direct));
    UcxRegisteredBuffer buffer = new UcxRegisteredBuffer(this, direct, region);
    buffers.add(buffer);
    meter.registered(buffer.lengthBytes());
    return buffer;
  }

  @Override
  public Connection connect(InetSocketAddress remote, Ticket ticket, long timeoutMs)
      throws TransportException {
    if (closed.get()) {
      throw new TransportException("ucx: the client endpoint is closed");
    }
    if (remote.isUnresolved()) {
      throw new ConnectFailedException("ucx: cannot connect to unresolved address " + remote);
    }
    UcxConnection connection = new UcxConnection(this, remote);
    connections.add(connection);
    connection.connect(timeoutMs);
    return connection;
  }

  @Override
  public TransportCounters counters() {
    return meter.snapshot();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      connections.forEach(UcxConnection::close);
      buffers.forEach(UcxRegisteredBuffer::close);
      loop.close();
      deadlines.close();
    }
  }

  UcxLoop loop() {
    return loop;
  }

  TransportMeter meter() {
    return meter;
  }

  Deadlines deadlines() {
    return deadlines;
  }

  void ended(UcxConnection connection) {
    connections.remove(connection);
  }

  void deregistered(UcxRegisteredBuffer buffer) {
    buffers.remove(buffer);
    meter.deregistered(buffer.lengthBytes());
  }
}
