package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.TransportException;
import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The protection domains of one endpoint, one on each of its devices. All its registrations and
 * queue pairs belong to them.
 *
 * <p>Thread contract: immutable once allocated. Ownership: the endpoint closes it, after its queue
 * pairs and registrations and before the devices.
 */
final class VerbsDomains {
  private final Map<VerbsDevice, VerbsDomain> domains = new LinkedHashMap<>();

  private VerbsDomains() {}

  static VerbsDomains allocate(VerbsDevices devices) throws TransportException {
    VerbsDomains result = new VerbsDomains();
    try {
      for (VerbsDevice device : devices.all()) {
        result.domains.put(device, VerbsDomain.allocate(device));
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

  /** In the order of the devices' numbers. */
  Collection<VerbsDomain> all() {
    return domains.values();
  }

  VerbsDomain of(VerbsDevice device) {
    return domains.get(device);
  }

  /**
   * Frees all of them.
   *
   * @throws IllegalStateException if a queue pair or a registration still belongs to one
   */
  void close() {
    try {
      Closer.all(domains.values().stream().<Closeable>map(each -> each::free).toList());
    } catch (IOException e) {
      throw new IllegalStateException("verbs: a protection domain cannot be freed", e);
    }
  }
}
