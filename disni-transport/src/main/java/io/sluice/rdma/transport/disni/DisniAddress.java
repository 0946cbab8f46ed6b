package io.sluice.rdma.transport.disni;

import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.TransportException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.OptionalInt;

/**
 * What verbs need of a remote region, in the descriptor's provider data, big-endian: a region has
 * an rkey of its own on every device of its server, told apart by the address that one connects to.
 *
 * <pre>
 *   0                 8              12       16
 *   +-----------------+--------------+--------+--------------------------------+
 *   | virtual address | IPv4 address | rkey   | ... one pair for each address  |
 *   +-----------------+--------------+--------+--------------------------------+
 * </pre>
 */
final class DisniAddress {
  private static final int ADDRESS_OFFSET = 0;
  private static final int KEYS_OFFSET = ADDRESS_OFFSET + Long.BYTES;
  private static final int KEY_BYTES = 2 * Integer.BYTES;

  private DisniAddress() {}

  static byte[] pack(long address, Map<Inet4Address, Integer> remoteKeys) {
    ByteBuffer data = ByteBuffer.allocate(KEYS_OFFSET + remoteKeys.size() * KEY_BYTES);
    data.putLong(address);
    remoteKeys.forEach((server, key) -> data.put(server.getAddress()).putInt(key));
    return data.array();
  }

  static long address(RegionDescriptor descriptor) {
    return ByteBuffer.wrap(descriptor.providerData()).getLong(ADDRESS_OFFSET);
  }

  /** The rkey for whoever is connected to {@code server}; empty if the region has none there. */
  static OptionalInt remoteKey(RegionDescriptor descriptor, Inet4Address server) {
    ByteBuffer data = ByteBuffer.wrap(descriptor.providerData());
    int wanted = ByteBuffer.wrap(server.getAddress()).getInt();
    for (int at = KEYS_OFFSET; at + KEY_BYTES <= data.capacity(); at += KEY_BYTES) {
      if (data.getInt(at) == wanted) {
        return OptionalInt.of(data.getInt(at + Integer.BYTES));
      }
    }
    return OptionalInt.empty();
  }

  /** DiSNI would cut an IPv6 address to its first four bytes. */
  static Inet4Address ipv4(InetAddress address) throws TransportException {
    if (address instanceof Inet4Address ipv4) {
      return ipv4;
    }
    throw new TransportException(
        "disni: " + address.getHostAddress() + " is an IPv6 address, DiSNI knows IPv4 only");
  }
}
