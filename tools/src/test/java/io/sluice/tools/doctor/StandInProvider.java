package io.sluice.tools.doctor;

import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import java.net.InetSocketAddress;
import java.util.Optional;

/** A transport that says what it is told to of itself, and moves nothing. */
record StandInProvider(String name, Optional<String> unavailabilityCause)
    implements TransportProvider {

  @Override
  public boolean isConfined() {
    return true;
  }

  @Override
  public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
      throws TransportException {
    throw new TransportException("cannot listen");
  }

  @Override
  public ClientEndpoint openClient() throws TransportException {
    throw new TransportException("cannot read");
  }
}
