package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.support.RdmaDevices;
import io.sluice.rdma.transport.verbs.Verbs.Registration;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Memory registered in the protection domains of an endpoint, on every device. It keeps the buffer
 * reachable while a NIC may use the memory.
 *
 * <p>The provider data of its descriptor, big-endian, has its key for each device of its server, in
 * the order of their numbers. The server tells a client the number when it connects.
 *
 * <pre>
 *   0                 8        12
 *   +-----------------+--------+------------------------------+
 *   | virtual address | rkey   | ... one rkey for each device |
 *   +-----------------+--------+------------------------------+
 * </pre>
 *
 * <p>Thread contract: immutable until {@link #deregister}, which one thread at a time calls.
 * Ownership: the caller that registered it deregisters it, then frees the memory.
 */
final class VerbsRegion {
  private static final int KEYS_OFFSET = Long.BYTES;

  private final ByteBuffer memory;
  private final long address;
  private final Map<VerbsDevice, Registration> registrations = new LinkedHashMap<>();

  private VerbsRegion(ByteBuffer memory) {
    this.memory = memory;
    this.address = LibVerbs.address(memory.slice(0, memory.capacity()));
  }

  /**
   * Registers the first {@code lengthBytes} of a direct buffer.
   *
   * @param access {@code VerbsLayout.ACCESS_*}
   */
  static VerbsRegion register(VerbsDomains domains, ByteBuffer memory, long lengthBytes, int access)
      throws RegistrationException {
    VerbsRegion region = new VerbsRegion(memory);
    try {
      for (VerbsDomain domain : domains.all()) {
        region.registrations.put(
            domain.device(), domain.register(region.address, lengthBytes, access));
      }
      return region;
    } catch (IOException e) {
      Closer.after(e, region::deregister);
      RdmaDevices.checkMayPin(TransportNames.VERBS, lengthBytes); // the kernel names no limit
      throw new RegistrationException(
          "verbs: "
              + ErrorText.of(e)
              + "; memory on a DAX file system cannot be registered, tmpfs and hugetlbfs can",
          e);
    } catch (RuntimeException | Error e) {
      Closer.after(e, region::deregister);
      throw e;
    }
  }

  /** The address of the memory; the same for every device. */
  long address() {
    return address;
  }

  int localKey(VerbsDevice device) {
    return registrations.get(device).localKey();
  }

  /** The provider data of its descriptor. */
  byte[] pack() {
    ByteBuffer data = ByteBuffer.allocate(KEYS_OFFSET + registrations.size() * Integer.BYTES);
    data.putLong(address);
    registrations.values().forEach(registration -> data.putInt(registration.remoteKey()));
    return data.array();
  }

  /** The address of a described region in its server's memory. */
  static long address(RegionDescriptor descriptor) {
    return ByteBuffer.wrap(descriptor.providerData()).getLong(0);
  }

  /** The key of a described region at one of its server's devices; empty if it has none there. */
  static OptionalInt remoteKey(RegionDescriptor descriptor, int device) {
    ByteBuffer data = ByteBuffer.wrap(descriptor.providerData());
    int at = KEYS_OFFSET + device * Integer.BYTES;
    return at + Integer.BYTES <= data.capacity()
        ? OptionalInt.of(data.getInt(at))
        : OptionalInt.empty();
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
          "verbs: deregistering " + memory + " failed; it must not be unmapped", e);
    }
  }

  private void deregister(VerbsDevice device) throws IOException {
    device.verbs().deregister(registrations.get(device).handle());
    registrations.remove(device);
  }
}
