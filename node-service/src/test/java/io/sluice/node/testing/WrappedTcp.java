package io.sluice.node.testing;

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
import java.util.function.Supplier;

/** tcp, of which a test changes what it says of itself, or how readers register or read. */
public abstract class WrappedTcp implements TransportProvider {
  private final TransportProvider tcp = new TcpProvider();

  /** Registers as the endpoint below does. */
  protected RegisteredBuffer register(ClientEndpoint below, ByteBuffer direct)
      throws TransportException {
    return below.register(direct);
  }

  /** Reads as the connection below does, which {@code read} starts. */
  protected CompletableFuture<Void> read(Connection below, Supplier<CompletableFuture<Void>> read) {
    return read.get();
  }

  /** Why the next connection does not come about; null: it does. */
  protected TransportException refusal() {
    return null;
  }

  /** Why one to there does not. */
  protected TransportException refusal(InetSocketAddress remote) {
    return refusal();
  }

  @Override
  public String name() {
    return tcp.name();
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
    return tcp.listen(bindAddress, admission);
  }

  @Override
  public ClientEndpoint openClient() throws TransportException {
    return new Endpoint(tcp.openClient());
  }

  private final class Endpoint implements ClientEndpoint {
    private final ClientEndpoint below;

    Endpoint(ClientEndpoint below) {
      this.below = below;
    }

    @Override
    public RegisteredBuffer register(ByteBuffer direct) throws TransportException {
      return WrappedTcp.this.register(below, direct);
    }

    @Override
    public Connection connect(InetSocketAddress remote, Ticket ticket, long timeoutMs)
        throws TransportException {
      TransportException refusal = refusal(remote);
      if (refusal != null) {
        throw refusal;
      }
      return new Wrapped(below.connect(remote, ticket, timeoutMs));
    }

    @Override
    public TransportCounters counters() {
      return below.counters();
    }

    @Override
    public void close() {
      below.close();
    }
  }

  private final class Wrapped implements Connection {
    private final Connection below;

    Wrapped(Connection below) {
      this.below = below;
    }

    @Override
    public CompletableFuture<Void> read(
        RegionDescriptor remote,
        long remoteOffsetBytes,
        RegisteredBuffer destination,
        int destinationOffsetBytes,
        int lengthBytes,
        long timeoutMs) {
      return WrappedTcp.this.read(
          below,
          () ->
              below.read(
                  remote,
                  remoteOffsetBytes,
                  destination,
                  destinationOffsetBytes,
                  lengthBytes,
                  timeoutMs));
    }

    @Override
    public boolean isOpen() {
      return below.isOpen();
    }

    @Override
    public void close() {
      below.close();
    }
  }
}
