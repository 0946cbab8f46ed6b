package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.transport.SilentServer;
import io.sluice.rdma.transport.TransportContractTest;
import io.sluice.rdma.transport.TransportProvider;
import java.util.Optional;

/** The contract on UCX's own TCP: the provider's code, without the NIC's part of it. */
class UcxOverTcpContractTest extends TransportContractTest {
  @Override
  protected TransportProvider createProvider() {
    return UcxProvider.overTcp();
  }

  @Override
  protected SilentServer startSilentServer() throws Exception {
    return new StalledUcxServer(UcxProvider.overTcp(), bindAddress());
  }

  @Override
  protected Optional<String> whyForgedDescriptorsPass() {
    return Optional.of("UCX's emulation of one-sided reads over TCP checks no keys");
  }

  @Override
  protected int connectCount() {
    return 100;
  }
}
