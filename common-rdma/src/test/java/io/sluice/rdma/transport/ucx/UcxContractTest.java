package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.transport.RdmaContractTest;
import io.sluice.rdma.transport.SilentServer;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.TransportProvider;
import java.util.Optional;

/** The contract of UCX on verbs; skipped where there is no RDMA device. */
class UcxContractTest extends RdmaContractTest {
  @Override
  protected TransportProvider createProvider() {
    return new UcxProvider();
  }

  @Override
  protected SilentServer startSilentServer() {
    throw new UnsupportedOperationException();
  }

  @Override
  protected Optional<String> whyNoServerIsSilent() {
    return Optional.of("the NIC answers for a server that hangs; UcxOverTcpContractTest has these");
  }

  @Override
  protected Optional<String> whyDeregisteredRegionsAreServed() {
    return "direct".equals(System.getenv("UCX_IB_REG_METHODS"))
        ? Optional.empty()
        : Optional.of(
            "UCX caches registrations until the memory is unmapped, unless UCX_IB_REG_METHODS is"
                + " direct in the environment");
  }

  @Override
  protected Class<? extends TransportException> refusal() {
    return ConnectionLostException.class;
  }
}
