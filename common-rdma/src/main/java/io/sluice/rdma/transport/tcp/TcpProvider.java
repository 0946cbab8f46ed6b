package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpServerEndpoint.TcpServerTimeouts;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Reads over TCP: the provider that works everywhere.
 *
 * <p>Unlike {@code ucx} it needs no native code and pins no memory. The server's CPU works for each
 * read, and a region may be a file that is not mapped. Thread contract: safe from any thread.
 */
public final class TcpProvider implements TransportProvider {
  private final TcpServerTimeouts timeouts;

  public TcpProvider() {
    this(TcpServerTimeouts.DEFAULT);
  }

  TcpProvider(TcpServerTimeouts timeouts) {
    this.timeouts = timeouts;
  }

  @Override
  public String name() {
    return TransportNames.TCP;
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
    return TcpServerEndpoint.open(bindAddress, admission, timeouts);
  }

  @Override
  public ClientEndpoint openClient() {
    return new TcpClientEndpoint();
  }
}
