package io.sluice.rdma.transport;

import io.sluice.rdma.transport.support.RdmaDevices;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where an RDMA device of this machine can be reached; rdmacm does no loopback. */
public final class RdmaAddress {
  private RdmaAddress() {}

  /** The address of the network device behind the first active port; fails if there is none. */
  public static InetAddress find() {
    String[] port = new RdmaDevices().activePorts().get(0).split(":");
    Path netDevice =
        Path.of("/sys/class/infiniband", port[0], "ports", port[1], "gid_attrs/ndevs/0");
    try {
      return NetworkInterface.getByName(Files.readString(netDevice).strip())
          .inetAddresses()
          .filter(Inet4Address.class::isInstance)
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
