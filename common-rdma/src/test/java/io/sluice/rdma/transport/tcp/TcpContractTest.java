package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.transport.SilentServer;
import io.sluice.rdma.transport.TransportContractTest;
import io.sluice.rdma.transport.TransportProvider;

class TcpContractTest extends TransportContractTest {
  @Override
  protected TransportProvider createProvider() {
    return new TcpProvider();
  }

  @Override
  protected SilentServer startSilentServer() throws Exception {
    return ScriptedServer.silent();
  }
}
