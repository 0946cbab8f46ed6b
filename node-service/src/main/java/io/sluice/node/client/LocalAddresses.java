package io.sluice.node.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.Comparator;
import java.util.List;

/**
 * The addresses of this host, from any of which a data connection may come: which one it is decides
 * the route to the node, or its RDMA device.
 *
 * <p>Thread contract: stateless; asked anew each time, since addresses come and go.
 */
final class LocalAddresses {
  private LocalAddresses() {}

  /** An address with the index of its interface, which is low for a device of the machine. */
  record Found(InetAddress address, int interfaceIndex) {}

  static List<InetAddress> all() throws IOException {
    return inOrder(
        NetworkInterface.networkInterfaces()
            .flatMap(i -> i.inetAddresses().map(address -> new Found(address, i.getIndex())))
            .toList());
  }

  /**
   * The likeliest first, because a node is told so many and no more: what has a route beyond the
   * link, the machine's devices before the bridges and tunnels that were made later. A container
   * host has hundreds of link-local addresses.
   */
  static List<InetAddress> inOrder(List<Found> found) {
    return found.stream()
        .sorted(
            Comparator.<Found>comparingInt(each -> reach(each.address()))
                .thenComparingInt(Found::interfaceIndex))
        .map(Found::address)
        .toList();
  }

  private static int reach(InetAddress address) {
    if (address.isLoopbackAddress()) {
      return 1; // a node may be this host's
    }
    return address.isLinkLocalAddress() ? 2 : 0;
  }
}
