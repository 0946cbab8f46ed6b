package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.verbs.Verbs.Registration;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A protection domain of a device: at a queue pair of one domain the NIC refuses the keys of all
 * others.
 *
 * <p>Thread contract: safe from any thread. Ownership: {@link VerbsDomains} frees it, after its
 * registrations and queue pairs and before the device is closed.
 */
final class VerbsDomain {
  private static final Logger LOG = LoggerFactory.getLogger(VerbsDomain.class);

  /** The names of the devices that have refused on-demand paging: each is logged once. */
  private static final Set<String> PINNING = ConcurrentHashMap.newKeySet();

  private final VerbsDevice device;
  private final long handle;

  private VerbsDomain(VerbsDevice device, long handle) {
    this.device = device;
    this.handle = handle;
  }

  static VerbsDomain allocate(VerbsDevice device) throws IOException {
    long handle = device.verbs().allocateDomain(device.context());
    try {
      VerbsDomain domain = new VerbsDomain(device, handle);
      device.add(domain);
      return domain;
    } catch (RuntimeException | Error e) { // for want of memory
      Closer.after(e, () -> device.verbs().freeDomain(handle));
      throw e;
    }
  }

  VerbsDevice device() {
    return device;
  }

  /** The native object. */
  long handle() {
    return handle;
  }

  /**
   * Registers memory. If the device refuses on-demand paging, it pins the memory.
   *
   * @param access {@code VerbsLayout.ACCESS_*}
   */
  Registration register(long address, long lengthBytes, int access) throws IOException {
    Verbs verbs = device.verbs();
    int pinned = access & ~VerbsLayout.ACCESS_ON_DEMAND;
    if (access == pinned) {
      return verbs.register(handle, address, lengthBytes, pinned);
    }
    try {
      return verbs.register(handle, address, lengthBytes, access);
    } catch (IOException e) {
      Registration registration = verbs.register(handle, address, lengthBytes, pinned);
      if (PINNING.add(device.toString())) {
        LOG.warn(
            "verbs: {} refuses on-demand paging ({}); its memory is pinned",
            device,
            ErrorText.of(e));
      }
      return registration;
    }
  }

  /** Frees it; fails while a registration or a queue pair belongs to it. */
  void free() throws IOException {
    device.verbs().freeDomain(handle);
    device.remove(this);
  }
}
