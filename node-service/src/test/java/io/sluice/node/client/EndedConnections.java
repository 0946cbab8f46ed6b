package io.sluice.node.client;

import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * tcp whose connections end just when a read begins, so many times in a row: what a service does
 * that finds them idle at that moment.
 */
final class EndedConnections implements TransportProvider {
  private final TransportProvider delegate = new TcpProvider();
  private final AtomicInteger left = new AtomicInteger();

  /** The next reads, so many, meet a connection that ends. */
  void end(int times) {
    left.set(times);
  }

  /** How many of them have not come. */
  int left() {
    return left.get();
  }

  @Override
  public String name() {
    return delegate.name();
  }

  @Override
  public Optional<String> unavailabilityCause() {
    return Optional.empty();
  }

  @Override
  public boolean isConfined() {
    return true;
  }

  @Override
  public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
      throws TransportException {
    return delegate.listen(bindAddress, admission);
  }

  @Override
  public ClientEndpoint openClient() throws TransportException {
    return new Endpoint(delegate.openClient());
  }

  private final class Endpoint implements ClientEndpoint {
    private final ClientEndpoint delegate;

    Endpoint(ClientEndpoint delegate) {
      this.delegate = delegate;
    }

    @Override
    public RegisteredBuffer register(ByteBuffer direct) throws TransportException {
      return delegate.register(direct);
    }

    @Override
    public Connection connect(InetSocketAddress remote, Ticket ticket, long timeoutMs)
        throws TransportException {
      return new EndedConnection(delegate.connect(remote, ticket, timeoutMs));
    }

    @Override
    public TransportCounters counters() {
      return delegate.counters();
    }

    @Override
    public void close() {
      delegate.close();
    }
  }

  private final class EndedConnection implements Connection {
    private final Connection delegate;

    EndedConnection(Connection delegate) {
      this.delegate = delegate;
    }

    @Override
    public CompletableFuture<Void> read(
        RegionDescriptor remote,
        long remoteOffsetBytes,
        RegisteredBuffer destination,
        int destinationOffsetBytes,
        int lengthBytes,
        long timeoutMs) {
      if (left.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
        delegate.close();
      }
      return delegate.read(
          remote, remoteOffsetBytes, destination, destinationOffsetBytes, lengthBytes, timeoutMs);
    }

    @Override
    public boolean isOpen() {
      return delegate.isOpen();
    }

    @Override
    public void close() {
      delegate.close();
    }
  }
}
