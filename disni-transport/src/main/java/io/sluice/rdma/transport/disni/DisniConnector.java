package io.sluice.rdma.transport.disni;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.disni.DisniDevices.DisniDevice;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Connects a queue pair within a deadline, on the caller's thread. On failure it destroys all
 * native objects that it made.
 *
 * <p>Thread contract: one thread uses it, once.
 */
final class DisniConnector {
  private final DisniDevices devices;
  private final InetSocketAddress remote;
  private final long timeoutMs;
  private final long deadlineNanos;
  private final BooleanSupplier givenUp;
  private RdmaEventChannel channel;
  private RdmaCmId id;
  private DisniQueuePair pair;

  /**
   * Starts the deadline.
   *
   * @param givenUp polled; true ends the attempt
   */
  DisniConnector(
      DisniDevices devices, InetSocketAddress remote, long timeoutMs, BooleanSupplier givenUp) {
    this.devices = devices;
    this.remote = remote;
    this.timeoutMs = timeoutMs;
    this.deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    this.givenUp = givenUp;
  }

  /** Connects; on failure nothing is left behind. */
  DisniLink connect(Inet4Address address, int maxWorkRequests) throws ConnectFailedException {
    try {
      try {
        channel = RdmaEventChannel.createEventChannel();
        id = channel.createId(RdmaCm.RDMA_PS_TCP);
        id.resolveAddr(null, new InetSocketAddress(address, remote.getPort()), leftMs());
        await(EventType.RDMA_CM_EVENT_ADDR_RESOLVED);
        id.resolveRoute(leftMs());
        await(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED);
        DisniDevice device = devices.of(id);
        pair = DisniQueuePair.create(id, device, maxWorkRequests);
        DisniWorkQueue queue = new DisniWorkQueue(pair);
        id.connect(DisniQueuePair.connectParameters());
        await(EventType.RDMA_CM_EVENT_ESTABLISHED);
        return new DisniLink(channel, id, device, address, queue);
      } catch (IOException | RuntimeException | Error e) {
        abandon();
        throw e;
      }
    } catch (IOException e) {
      throw new ConnectFailedException(
          "disni: cannot connect to "
              + remote
              + " within "
              + timeoutMs
              + " ms: "
              + ErrorText.of(e)
              + "; is the Sluice service up there, listening on an address of its RDMA device?",
          e);
    }
  }

  private void await(EventType wanted) throws IOException {
    while (true) {
      int leftMs = leftMs();
      if (givenUp.getAsBoolean()) {
        throw new IOException("the client endpoint was closed");
      }
      if (leftMs == 0) {
        throw new IOException("no answer; waited for " + wanted);
      }
      RdmaCmEvent event = CmEvents.poll(channel, Math.min(leftMs, CmEvents.SLICE_MS));
      if (event != null) {
        if (CmEvents.type(event) != wanted) {
          throw new IOException(CmEvents.words(CmEvents.type(event)));
        }
        return;
      }
    }
  }

  private int leftMs() {
    long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
    return (int) Math.max(0, Math.min(leftMs, Integer.MAX_VALUE));
  }

  private void abandon() throws IOException {
    if (pair != null) {
      pair.destroy(0);
    }
    if (id != null) {
      id.destroyId();
    }
    if (channel != null) {
      channel.destroyEventChannel();
    }
  }
}
