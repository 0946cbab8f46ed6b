package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.transport.ConnectionLostException;
import io.sluice.rdma.transport.SilentServer;
import io.sluice.rdma.transport.TransportContractTest;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.support.RdmaDevices;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The contract over a real RDMA device; skipped where there is none. */
class UcxContractTest extends TransportContractTest {
  @Override
  protected TransportProvider createProvider() {
    return new UcxProvider();
  }

  /** An address of the network device behind the first active port; rdmacm does no loopback. */
  @Override
  protected InetSocketAddress bindAddress() {
    String[] port = new RdmaDevices().activePorts().get(0).split(":");
    Path netDevice =
        Path.of("/sys/class/infiniband", port[0], "ports", port[1], "gid_attrs/ndevs/0");
    try {
      return NetworkInterface.getByName(Files.readString(netDevice).trim())
          .inetAddresses()
          .filter(Inet4Address.class::isInstance)
          .map(address -> new InetSocketAddress(address, 0))
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
    return Optional.of("UCX caches registrations until the memory is unmapped");
  }

  @Override
  protected Class<? extends TransportException> refusal() {
    return ConnectionLostException.class;
  }

  @Override
  protected int connectCount() {
    return 30;
  }
}
