package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.transport.RdmaContractTest;
import io.sluice.rdma.transport.SilentServer;
import io.sluice.rdma.transport.TransportProvider;

/** The contract of libibverbs; skipped where there is no RDMA device. */
class VerbsContractTest extends RdmaContractTest {
  @Override
  protected TransportProvider createProvider() {
    return new VerbsProvider();
  }

  @Override
  protected SilentServer startSilentServer() throws Exception {
    return new SilentVerbsServer((VerbsProvider) provider(), bindAddress());
  }
}
