package io.sluice.rdma.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.SilentServer;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportContractTest;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportProvider;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.junit.jupiter.api.Test;

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

  /** It would end the process. */
  @Test
  void ipv6IsRefusedOnBothSides() throws Exception {
    InetSocketAddress address = new InetSocketAddress("::1", 0);
    TransportException listening =
        assertThrows(
            TransportException.class,
            () -> provider().listen(address, Admission.open(ConnectionLimits.DEFAULT)));
    assertTrue(listening.getMessage().contains("IPv4 only"), listening.getMessage());
    ClientEndpoint client = closing(provider().openClient());
    TransportException connecting =
        assertThrows(
            ConnectFailedException.class, () -> client.connect(address, Ticket.NONE, LONG_MS));
    assertTrue(connecting.getMessage().contains("IPv4 only"), connecting.getMessage());
  }
}
