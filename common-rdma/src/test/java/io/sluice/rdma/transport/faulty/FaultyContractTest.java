package io.sluice.rdma.transport.faulty;

import io.sluice.rdma.transport.SilentServer;
import io.sluice.rdma.transport.TransportContractTest;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.ScriptedServer;
import io.sluice.rdma.transport.tcp.TcpProvider;

/** A wrapper that injects nothing must be as good as what it wraps. */
class FaultyContractTest extends TransportContractTest {
  @Override
  protected TransportProvider createProvider() {
    return new FaultyProvider(new TcpProvider(), FaultPlan.seeded(1));
  }

  @Override
  protected SilentServer startSilentServer() throws Exception {
    return ScriptedServer.silent();
  }

  @Override
  protected int connectCount() {
    return 20;
  }
}
