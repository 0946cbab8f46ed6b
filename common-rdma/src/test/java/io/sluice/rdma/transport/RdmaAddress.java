package io.sluice.rdma.transport;

import io.sluice.rdma.transport.support.RdmaDevices;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Where an RDMA device of this machine can be reached; rdmacm does no loopback. */
public final class RdmaAddress {
  private RdmaAddress() {}

  /** The IPv4 address of the network device behind the first active port; fails if none has one. */
  public static InetAddress find() {
    return ofNetDevice().filter(Inet4Address.class::isInstance).findFirst().orElseThrow();
  }

  /** An IPv6 address of that network device that is good beyond its link; empty if it has none. */
  public static Optional<InetAddress> findIpv6() {
    return ofNetDevice()
        .filter(address -> address instanceof Inet6Address && !address.isLinkLocalAddress())
        .findFirst();
  }

  private static Stream<InetAddress> ofNetDevice() {
    String[] port = new RdmaDevices().activePorts().get(0).split(":");
    Path netDevice =
        Path.of("/sys/class/infiniband", port[0], "ports", port[1], "gid_attrs/ndevs/0");
    try {
      return NetworkInterface.getByName(Files.readString(netDevice).strip()).inetAddresses();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
