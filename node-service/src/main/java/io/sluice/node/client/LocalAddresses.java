package io.sluice.node.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;

/**
 * The addresses of this host, from any of which a data connection may come: which one it is decides
 * the route to the node, or its RDMA device.
 *
 * <p>Thread contract: stateless; asked anew each time, since addresses come and go.
 */
final class LocalAddresses {
  private LocalAddresses() {}

  static List<InetAddress> all() throws IOException {
    return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).toList();
  }
}
