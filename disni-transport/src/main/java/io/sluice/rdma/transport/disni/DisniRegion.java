package io.sluice.rdma.transport.disni;

import com.ibm.disni.verbs.IbvMr;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.RegistrationException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.support.Pinning;
import java.io.Closeable;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Memory registered with every device of an endpoint, and the buffer it lies in, which must not be
 * collected while a NIC may use it.
 *
 * <p>Thread contract: immutable until whoever registered it deregisters it, on one thread at a
 * time.
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
    Pinning.check(TransportNames.DISNI, lengthBytes * devices.all().size());
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

  /** Where the memory starts; the same for every device. */
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
   * From its return on no NIC uses the memory. Said again after a failure, it is tried again with
   * the devices that have not let go; DiSNI never has a NIC asked twice.
   *
   * @throws IllegalStateException if a device does not let go of it; it must then not be unmapped
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
}
