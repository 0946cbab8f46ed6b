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
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * Memory registered in the protection domains of an endpoint, on every device that has not failed.
 * It keeps the buffer reachable while a NIC may use the memory.
 *
 * <p>The provider data of its descriptor, big-endian, has its key for each device of its server, in
 * the order of their numbers, and 0 for one that had failed. The server tells a client the number
 * when it connects.
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

  /** Stands for the registration with a device that had failed before; no device has key 0. */
  private static final Registration NONE = new Registration(0, 0, 0);

  /** EFAULT and EOPNOTSUPP: the kernel lets no device use files of this file system for long. */
  private static final Pattern UNFIT_FILE_SYSTEM = Pattern.compile("\\[(14|95)\\]");

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
    List<VerbsDomain> working = domains.working();
    if (working.isEmpty()) {
      throw new RegistrationException(
          "verbs: every RDMA device has failed, of " + domains.devices());
    }
    VerbsRegion region = new VerbsRegion(memory);
    try {
      domains.devices().forEach(device -> region.registrations.put(device, NONE));
      for (VerbsDomain domain : working) {
        region.registrations.put(
            domain.device(), domain.register(region.address, lengthBytes, access));
      }
      return region;
    } catch (IOException e) {
      Closer.after(e, region::deregister);
      // The kernel names no limit, and counts the memory for each device.
      RdmaDevices.checkMayPin(TransportNames.VERBS, lengthBytes * working.size());
      String said = ErrorText.of(e);
      throw new RegistrationException(
          "verbs: "
              + said
              + (UNFIT_FILE_SYSTEM.matcher(said).find()
                  ? "; memory on a DAX file system cannot be registered, tmpfs and hugetlbfs can"
                  : ""),
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

  /** The key at a device; 0, which the device refuses, if it had failed before. */
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
    return at + Integer.BYTES <= data.capacity() && data.getInt(at) != NONE.remoteKey()
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
    Registration registration = registrations.get(device);
    if (registration != NONE) {
      device.verbs().deregister(registration.handle());
    }
    registrations.remove(device);
  }
}
