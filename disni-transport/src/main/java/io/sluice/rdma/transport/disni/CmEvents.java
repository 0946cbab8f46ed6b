package io.sluice.rdma.transport.disni;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;

/**
 * Waits with a deadline for events of the connection manager; DiSNI's own waits have none.
 *
 * <p>Thread contract: one thread per channel, because DiSNI keeps the channel's ids in a plain map.
 */
final class CmEvents {
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
