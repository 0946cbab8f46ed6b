package io.sluice.node.client;

import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.RegistrationException;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;

/** A transport whose readers may pin nothing, as with an RLIMIT_MEMLOCK that is too low. */
final class BrokenRegistration implements TransportProvider {
  private final TransportProvider delegate = new TcpProvider();

  @Override
  public String name() {
    return "broken";
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

  private record Endpoint(ClientEndpoint delegate) implements ClientEndpoint {
    @Override
    public RegisteredBuffer register(ByteBuffer direct) throws TransportException {
      throw new RegistrationException("cannot pin, expected by this test");
    }

    @Override
    public Connection connect(InetSocketAddress remote, Ticket ticket, long timeoutMs)
        throws TransportException {
      return delegate.connect(remote, ticket, timeoutMs);
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
}
