package io.sluice.node.probe;

import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;

/** tcp under another name, with the faults a probe must tell of. */
final class ProbedTransport implements TransportProvider {
  private final TransportProvider delegate = new TcpProvider();
  private final String name;
  private Optional<String> unavailable = Optional.empty();
  private volatile String pinFailure;
  private volatile boolean corrupting;
  private boolean confined = true;

  ProbedTransport(String name) {
    this.name = name;
  }

  ProbedTransport unavailable(String cause) {
    unavailable = Optional.of(cause);
    return this;
  }

  ProbedTransport pinningFails(String cause) {
    pinFailure = cause;
    return this;
  }

  /** What it serves differs from what was registered, at offset 4096. */
  ProbedTransport corrupting() {
    corrupting = true;
    return this;
  }

  /** A connection to it is worth more than the keys that one holds. */
  ProbedTransport unconfined() {
    confined = false;
    return this;
  }

  private void checkMayPin() throws RegistrationException {
    if (pinFailure != null) {
      throw new RegistrationException(pinFailure);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Optional<String> unavailabilityCause() {
    return unavailable;
  }

  @Override
  public boolean isConfined() {
    return confined;
  }

  @Override
  public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
      throws TransportException {
    return new Server(delegate.listen(bindAddress, admission));
  }

  @Override
  public ClientEndpoint openClient() throws TransportException {
    return new Client(delegate.openClient());
  }

  private final class Server implements ServerEndpoint {
    private final ServerEndpoint endpoint;

    Server(ServerEndpoint endpoint) {
      this.endpoint = endpoint;
    }

    @Override
    public InetSocketAddress address() {
      return endpoint.address();
    }

    @Override
    public RegionDescriptor register(MemoryRegion region) throws TransportException {
      checkMayPin();
      if (corrupting && region.file() == null) {
        region.mapping().put(4096, (byte) ~region.mapping().get(4096));
      }
      return endpoint.register(region);
    }

    @Override
    public void deregister(RegionDescriptor descriptor) {
      endpoint.deregister(descriptor);
    }

    @Override
    public TransportCounters counters() {
      return endpoint.counters();
    }

    @Override
    public void close() {
      endpoint.close();
    }
  }

  private final class Client implements ClientEndpoint {
    private final ClientEndpoint endpoint;

    Client(ClientEndpoint endpoint) {
      this.endpoint = endpoint;
    }

    @Override
    public RegisteredBuffer register(ByteBuffer direct) throws TransportException {
      checkMayPin();
      return endpoint.register(direct);
    }

    @Override
    public Connection connect(InetSocketAddress remote, Ticket ticket, long timeoutMs)
        throws TransportException {
      return endpoint.connect(remote, ticket, timeoutMs);
    }

    @Override
    public TransportCounters counters() {
      return endpoint.counters();
    }

    @Override
    public void close() {
      endpoint.close();
    }
  }
}
