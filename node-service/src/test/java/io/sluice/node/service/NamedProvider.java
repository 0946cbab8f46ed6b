package io.sluice.node.service;

import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.net.InetSocketAddress;
import java.util.Optional;

/** tcp under another name. */
record NamedProvider(String name) implements TransportProvider {
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
    return new TcpProvider().listen(bindAddress, admission);
  }

  @Override
  public ClientEndpoint openClient() throws TransportException {
    return new TcpProvider().openClient();
  }
}
