package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.TransportException;
import java.io.Closeable;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The protection domains of one endpoint, one on each of its devices that had not failed when it
 * opened. All its registrations and queue pairs belong to them.
 *
 * <p>Thread contract: immutable once allocated. Ownership: the endpoint closes it, after its queue
 * pairs and registrations and before the devices.
 */
final class VerbsDomains {
  private final List<VerbsDevice> devices;
  private final Map<VerbsDevice, VerbsDomain> domains = new LinkedHashMap<>();

  private VerbsDomains(List<VerbsDevice> devices) {
    this.devices = devices;
  }

  static VerbsDomains allocate(VerbsDevices devices) throws TransportException {
    VerbsDomains result = new VerbsDomains(devices.all());
    try {
      for (VerbsDevice device : result.devices) {
        if (!device.hasFailed()) {
          result.domains.put(device, null); // first: there may be no memory for it later
          result.domains.put(device, VerbsDomain.allocate(device));
        }
      }
      if (result.domains.isEmpty()) {
        throw new IOException("every RDMA device has failed, of " + result.devices);
      }
      return result;
    } catch (IOException e) {
      Closer.after(e, result::close);
      throw new TransportException(
          "verbs: cannot allocate a protection domain: " + ErrorText.of(e), e);
    } catch (RuntimeException | Error e) { // for want of memory
      Closer.after(e, result::close);
      throw e;
    }
  }

  /** All devices, in the order of their numbers; some may have failed. */
  List<VerbsDevice> devices() {
    return devices;
  }

  /** The domains of the devices that have not failed. */
  List<VerbsDomain> working() {
    return domains.values().stream()
        .filter(domain -> domain != null && !domain.device().hasFailed())
        .toList();
  }

  /**
   * The domain of a device.
   *
   * @throws IOException if the device had failed before this was allocated
   */
  VerbsDomain of(VerbsDevice device) throws IOException {
    VerbsDomain domain = domains.get(device);
    if (domain == null) {
      throw new IOException("RDMA device " + device + " has failed");
    }
    return domain;
  }

  /**
   * Frees all of them.
   *
   * @throws IllegalStateException if a queue pair or a registration still belongs to one
   */
  void close() {
    try {
      Closer.all(
          domains.values().stream()
              .filter(Objects::nonNull)
              .<Closeable>map(each -> each::free)
              .toList());
    } catch (IOException e) {
      throw new IllegalStateException("verbs: a protection domain cannot be freed", e);
    }
  }
}
