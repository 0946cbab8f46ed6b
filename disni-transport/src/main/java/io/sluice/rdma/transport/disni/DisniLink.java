package io.sluice.rdma.transport.disni;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.sluice.rdma.transport.disni.DisniDevices.DisniDevice;
import java.io.IOException;
import java.net.Inet4Address;
import java.util.Optional;

/**
 * The native part of an established client connection: its event channel, id and work queue.
 *
 * <p>Thread contract: that of {@link DisniWorkQueue}; {@link #disconnect} under the connection's
 * lock. Ownership: the connection closes it.
 */
final class DisniLink {
  private final RdmaEventChannel channel;
  private final RdmaCmId id;
  private final DisniDevice device;
  private final Inet4Address remote;
  private final DisniWorkQueue queue;

  DisniLink(
      RdmaEventChannel channel,
      RdmaCmId id,
      DisniDevice device,
      Inet4Address remote,
      DisniWorkQueue queue) {
    this.channel = channel;
    this.id = id;
    this.device = device;
    this.remote = remote;
    this.queue = queue;
  }

  DisniDevice device() {
    return device;
  }

  Inet4Address remote() {
    return remote;
  }

  DisniWorkQueue queue() {
    return queue;
  }

  /** Why the connection is lost, by the connection manager's events; empty if it is not. */
  Optional<String> loss() throws IOException {
    for (RdmaCmEvent event = CmEvents.poll(channel, 0);
        event != null;
        event = CmEvents.poll(channel, 0)) {
      if (CmEvents.type(event) != RdmaCmEvent.EventType.RDMA_CM_EVENT_ADDR_CHANGE) {
        return Optional.of(CmEvents.words(CmEvents.type(event)));
      }
    }
    return Optional.empty();
  }

  /** Disconnects: the peer is told, and the NIC flushes posted work requests. Waits for neither. */
  void disconnect() throws IOException {
    id.disconnect(); // fails if the peer disconnected first, which does no harm
  }

  void close() throws IOException {
    queue.destroy();
    id.destroyId();
    channel.destroyEventChannel();
  }
}
