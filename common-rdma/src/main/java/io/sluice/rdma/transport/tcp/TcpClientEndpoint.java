package io.sluice.rdma.transport.tcp;

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
 * The reading side over TCP: its connections and the timer of their deadlines.
 *
 * <p>Registration costs nothing here and pins nothing; it exists so that callers are written once.
 * Thread contract: safe from any thread. Ownership: the caller closes.
 */
final class TcpClientEndpoint implements ClientEndpoint {
  private final TransportMeter meter = new TransportMeter();
  private final Deadlines deadlines = new Deadlines("sluice-tcp-deadlines");
  private final Set<TcpConnection> connections = ConcurrentHashMap.newKeySet();
  private final Set<TcpRegisteredBuffer> buffers = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  @Override
  public RegisteredBuffer register(ByteBuffer direct) throws TransportException {
    checkOpen();
    TcpRegisteredBuffer buffer = new TcpRegisteredBuffer(this, direct);
    buffers.add(buffer);
    meter.registered(buffer.lengthBytes());
    return buffer;
  }

  @Override
  public Connection connect(InetSocketAddress remote, Ticket ticket, long timeoutMs)
      throws TransportException {
    checkOpen();
    TcpConnection connection = TcpConnector.connect(this, remote, ticket, timeoutMs);
    connections.add(connection);
    meter.connectionOpened();
    connection.start();
    if (closed.get()) {
      connection.close();
      throw new ConnectFailedException("tcp: the client endpoint was closed while connecting");
    }
    return connection;
  }

  @Override
  public TransportCounters counters() {
    return meter.snapshot();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      connections.forEach(TcpConnection::close);
      buffers.forEach(TcpRegisteredBuffer::close);
      deadlines.close();
    }
  }

  TransportMeter meter() {
    return meter;
  }

  Deadlines deadlines() {
    return deadlines;
  }

  void ended(TcpConnection connection) {
    connections.remove(connection);
  }

  void deregistered(TcpRegisteredBuffer buffer) {
    if (buffers.remove(buffer)) {
      meter.deregistered(buffer.lengthBytes());
    }
  }

  private void checkOpen() throws TransportException {
    if (closed.get()) {
      throw new TransportException("tcp: the client endpoint is closed");
    }
  }
}
