package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A server's completion queues, one for each of its devices. All queue pairs of a device share it,
 * of whatever protection domain, because the server posts nothing, so that nothing ever completes.
 *
 * <p>Thread contract: immutable once created. Ownership: {@link VerbsListener} closes it, after all
 * queue pairs and before the devices.
 */
final class VerbsServerQueues {
  private final VerbsDevices devices;
  private final Map<VerbsDevice, Long> queues = new LinkedHashMap<>();

  private VerbsServerQueues(VerbsDevices devices) {
    this.devices = devices;
  }

  static VerbsServerQueues create(VerbsDevices devices) throws IOException {
    VerbsServerQueues result = new VerbsServerQueues(devices);
    try {
      for (VerbsDevice device : devices.all()) {
        result.queues.put(device, device.verbs().createQueue(device.context(), 1, 0));
      }
      return result;
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, result::close);
      throw e;
    }
  }

  /** The port of a connection, by its own address on this host. */
  VerbsPort portOf(InetAddress local) throws IOException {
    return devices.portOf(local);
  }

  /**
   * Creates a queue pair through which the peer may read, and nothing else.
   *
   * @param domains those of the memory that the peer may read
   */
  VerbsQueuePair createPair(VerbsPort port, VerbsDomains domains) throws IOException {
    VerbsDevice device = port.device();
    return VerbsQueuePair.create(
        port, domains.of(device), queues.get(device), 1, VerbsLayout.ACCESS_REMOTE_READ);
  }

  void close() throws IOException {
    Closer.all(
        queues.entrySet().stream()
            .<Closeable>map(each -> () -> each.getKey().verbs().destroyQueue(each.getValue(), 0))
            .toList());
  }
}
