package io.sluice.rdma.transport;

import io.sluice.rdma.transport.support.RdmaDevices;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;

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

  @Override
  protected void verifyTheWayOf(long bytesRead) {
    counters.assertReceived(bytesRead);
  }

  @Override
  protected int connectCount() {
    return 30;
  }
}
