package io.sluice.node.service;

import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.net.InetSocketAddress;
import java.util.Optional;

/** Says of {@code tcp} what is true where a NIC looks at keys. */
public record GuessableTcp() implements TransportProvider {
  private static final TcpProvider TCP = new TcpProvider();

  @Override
  public String name() {
    return TCP.name();
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
  public boolean keysCanBeGuessed() {
    return true;
  }

  @Override
  public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
      throws TransportException {
    return TCP.listen(bindAddress, admission);
  }

  @Override
  public ClientEndpoint openClient() throws TransportException {
    return TCP.openClient();
  }
}
