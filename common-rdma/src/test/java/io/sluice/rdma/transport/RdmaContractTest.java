package io.sluice.rdma.transport;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.rdma.transport.support.RdmaDevices;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The contract over a real RDMA device, which must have seen every byte that a test reads. */
public abstract class RdmaContractTest extends TransportContractTest {
  private final DeviceCounters counters = new DeviceCounters();

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

  @Test
  void aHostThatDoesNotAnswerEndsTheConnectByItsDeadline() throws Exception {
    byte[] neighbour = bindAddress().getAddress().getAddress();
    neighbour[3] ^= 0x40;
    ClientEndpoint client = closing(provider().openClient());
    InetSocketAddress nobody = new InetSocketAddress(InetAddress.getByAddress(neighbour), 9);
    assertThrows(ConnectFailedException.class, () -> client.connect(nobody, 1_000));
  }

  @Override
  protected void verifyTheWayOf(long bytesRead) {
    counters.assertReceived(bytesRead);
  }

  @Override
  protected int connectCount() {
    return 30;
  }
}
