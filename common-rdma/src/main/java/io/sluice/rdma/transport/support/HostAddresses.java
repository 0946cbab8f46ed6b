package io.sluice.rdma.transport.support;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The IP addresses of this process by which other hosts can find it. Those that are valid on one
 * link only are left out: each interface has one by itself, and other hosts do not know it.
 *
 * <p>Thread contract: stateless; asks the system at every call.
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
}
