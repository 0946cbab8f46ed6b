package io.sluice.rdma.transport.disni;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
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

  /**
   * Waits with a deadline for events of the connection manager; DiSNI's own waits have none.
   *
   * <p>Thread contract: one thread per channel, because DiSNI keeps the channel's ids in a plain
   * map.
   */
  static final class CmEvents {
    /** How long a thread sleeps in native code before it checks whether it must end. */
    static final int SLICE_MS = 50;

    private CmEvents() {}

    /** The next event, or null if there was none within {@code limitMs}. */
    static RdmaCmEvent poll(RdmaEventChannel channel, int limitMs) throws IOException {
      return channel.getCmEvent(limitMs);
    }

    static EventType type(RdmaCmEvent event) {
      return EventType.values()[event.getEvent()];
    }

    /** The event in words, for messages about connections that fail or end. */
    static String words(EventType type) {
      return switch (type) {
        case RDMA_CM_EVENT_ADDR_ERROR -> "no RDMA device has a route to that address";
        case RDMA_CM_EVENT_ROUTE_ERROR -> "no route through the RDMA device";
        case RDMA_CM_EVENT_REJECTED -> "the other host refused: nothing listens there";
        case RDMA_CM_EVENT_UNREACHABLE -> "the other host does not answer";
        case RDMA_CM_EVENT_CONNECT_ERROR -> "the queue pair could not be connected";
        case RDMA_CM_EVENT_DISCONNECTED -> "disconnected by the peer";
        case RDMA_CM_EVENT_DEVICE_REMOVAL -> "the RDMA device was removed";
        case RDMA_CM_EVENT_ADDR_CHANGE -> "the address of the RDMA device changed";
        default -> "unexpected event " + type;
      };
    }
  }
}
