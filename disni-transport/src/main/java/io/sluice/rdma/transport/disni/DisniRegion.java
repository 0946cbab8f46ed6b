package io.sluice.rdma.transport.disni;

import com.ibm.disni.verbs.IbvMr;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.disni.DisniDevices.DisniDevice;
import io.sluice.rdma.transport.support.RdmaDevices;
import java.io.Closeable;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Memory registered with every device of an endpoint. It keeps the buffer reachable while a NIC may
 * use the memory.
 *
 * <p>Thread contract: immutable until {@link #deregister}, which one thread at a time calls.
 * Ownership: the caller that registered it deregisters it, then frees the memory.
 */
final class DisniRegion {
  private final ByteBuffer memory;
  private final Map<DisniDevice, IbvMr> registrations = new LinkedHashMap<>();

  private DisniRegion(ByteBuffer memory) {
    this.memory = memory;
  }

  /**
   * Registers the first {@code lengthBytes} of a direct buffer.
   *
   * @param access {@code IbvMr.IBV_ACCESS_*}
   */
  static DisniRegion register(DisniDevices devices, ByteBuffer memory, long lengthBytes, int access)
      throws RegistrationException {
    RdmaDevices.checkMayPin(TransportNames.DISNI, lengthBytes * devices.all().size());
    DisniRegion region = new DisniRegion(memory);
    ByteBuffer start = memory.slice(0, (int) lengthBytes);
    try {
      for (DisniDevice device : devices.all()) {
        region.registrations.put(device, device.register(start, access));
      }
      return region;
    } catch (IOException e) {
      region.deregister();
      throw new RegistrationException(
          "disni: registering "
              + lengthBytes
              + " bytes failed: "
              + ErrorText.of(e)
              + "; memory on a DAX file system cannot be registered, tmpfs and hugetlbfs can",
          e);
    }
  }

  /** The address of the memory; the same for every device. */
  long address() {
    return registrations.values().iterator().next().getAddr();
  }

  int localKey(DisniDevice device) {
    return registrations.get(device).getLkey();
  }

  /** The rkey by each address of this host that leads to the memory. */
  Map<Inet4Address, Integer> remoteKeys() {
    Map<Inet4Address, Integer> keys = new LinkedHashMap<>();
    registrations.forEach(
        (device, registration) ->
            device.addresses().forEach(address -> keys.put(address, registration.getRkey())));
    return keys;
  }

  /**
   * Deregisters the memory; after it returns, no NIC uses the memory. A second call after a failure
   * tries again with the devices that failed.
   *
   * @throws IllegalStateException if a device cannot deregister it; the memory must not be unmapped
   *     then
   */
  void deregister() {
    try {
      Closer.all(
          registrations.keySet().stream()
              .<Closeable>map(device -> () -> deregister(device))
              .toList());
    } catch (IOException e) {
      throw new IllegalStateException(
          "disni: deregistering " + memory + " failed; it must not be unmapped", e);
    }
  }

  private void deregister(DisniDevice device) throws IOException {
    registrations.get(device).deregMr().execute().free();
    registrations.remove(device);
  }

  /**
   * The provider data of a region's descriptor, big-endian. A region has a different rkey on each
   * device of its server; the address that a client connects to selects it.
   *
   * <pre>
   *   0                 8              12       16
   *   +-----------------+--------------+--------+--------------------------------+
   *   | virtual address | IPv4 address | rkey   | ... one pair for each address  |
   *   +-----------------+--------------+--------+--------------------------------+
   * </pre>
   */
  static final class DisniAddress {
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

    /** The rkey for a client connected to {@code server}; empty if the region has none there. */
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

    /** Checks for IPv4: DiSNI would cut an IPv6 address to its first four bytes. */
    static Inet4Address ipv4(InetAddress address) throws TransportException {
      if (address instanceof Inet4Address ipv4) {
        return ipv4;
      }
      throw new TransportException(
          "disni: " + address.getHostAddress() + " is an IPv6 address; DiSNI supports IPv4 only");
    }
  }
}
