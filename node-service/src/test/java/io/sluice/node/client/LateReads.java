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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** A transport that breaks its contract: its reads end when the test says so, not in time. */
final class LateReads implements TransportProvider {
  private final TransportProvider delegate = new TcpProvider();
  private final List<CompletableFuture<Void>> pending = new CopyOnWriteArrayList<>();

  /** Ends them all. */
  void end() {
    pending.forEach(read -> read.complete(null));
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
      return new LateConnection(delegate.connect(remote, ticket, timeoutMs));
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

  private final class LateConnection implements Connection {
    private final Connection delegate;

    LateConnection(Connection delegate) {
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
      CompletableFuture<Void> read = new CompletableFuture<>();
      pending.add(read);
      return read;
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
