package io.sluice.rdma.transport.support;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The IP addresses of this process. {@link #all} has those by which other hosts can find it:
 * without those that are valid on one link only, because each interface has one by itself, and
 * other hosts do not know it.
 *
 * <p>Thread contract: stateless; asks the system at every call, since addresses come and go.
 */
public final class HostAddresses {
  private HostAddresses() {}

  /** The addresses by network interface; an interface may have none. */
  public static Map<String, List<InetAddress>> byInterface() throws SocketException {
    Map<String, List<InetAddress>> result = new LinkedHashMap<>();
    NetworkInterface.networkInterfaces()
        .forEach(
            each ->
                result.put(
                    each.getName(),
                    each.inetAddresses()
                        .filter(address -> !address.isLinkLocalAddress())
                        .map(HostAddresses::withoutInterface)
                        .toList()));
    return result;
  }

  /** Java adds the interface to each IPv6 address, which means nothing to other hosts. */
  private static InetAddress withoutInterface(InetAddress address) {
    try {
      return InetAddress.getByAddress(address.getAddress());
    } catch (UnknownHostException e) {
      throw new IllegalStateException("bytes of an address are none", e);
    }
  }

  /** The name of this host, by which others find it if they are told no other one. */
  public static String name() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost"; // the name means no address, so others cannot use it either
    }
  }

  /** The addresses of all network interfaces. */
  public static List<InetAddress> all() throws SocketException {
    return byInterface().values().stream().flatMap(Collection::stream).toList();
  }

  /**
   * Every address from which a connection may come: the route to the peer, or its RDMA device,
   * decides which. The likeliest are first, see {@link #inOrder}.
   */
  public static List<InetAddress> ofConnections() throws SocketException {
    return inOrder(
        NetworkInterface.networkInterfaces()
            .flatMap(i -> i.inetAddresses().map(address -> new Found(address, i.getIndex())))
            .toList());
  }

  /** An address with the index of its interface, which is low for a device of the machine. */
  record Found(InetAddress address, int interfaceIndex) {}

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
      return 1; // the peer may be on this host
    }
    return address.isLinkLocalAddress() ? 2 : 0;
  }
}
