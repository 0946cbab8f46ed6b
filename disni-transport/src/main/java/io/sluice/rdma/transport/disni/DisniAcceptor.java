package io.sluice.rdma.transport.disni;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.disni.DisniLink.CmEvents;
import io.sluice.rdma.transport.support.TransportMeter;
import io.sluice.rdma.transport.support.Uninterruptibly;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listener and the server's ends of its connections. The server posts no work requests on them.
 *
 * <p>Thread contract: one thread takes all events and destroys all native objects when it ends;
 * this object guards the state. Ownership: the server endpoint closes it, before the devices.
 * Failure: a client that fails costs its own connection only.
 */
final class DisniAcceptor {
  private static final Logger LOG = LoggerFactory.getLogger(DisniAcceptor.class);
  private static final int BACKLOG = 128;
  private static final long END_LIMIT_MS = 10_000;

  /** The server's end of a connection; {@code established} once the client may read. */
  private static final class Accepted {
    private final DisniQueuePair pair;
    private final Admission.Place place;
    private boolean established;

    private Accepted(DisniQueuePair pair, Admission.Place place) {
      this.pair = pair;
      this.place = place;
    }
  }

  private final DisniDevices devices;
  private final Admission admission;
  private final TransportMeter meter;
  private final RdmaEventChannel channel;
  private final RdmaCmId listener;
  private final InetSocketAddress address;
  private final Map<RdmaCmId, Accepted> connections = new HashMap<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean closing;

  private DisniAcceptor(
      DisniDevices devices,
      Admission admission,
      TransportMeter meter,
      RdmaEventChannel channel,
      RdmaCmId listener,
      InetSocketAddress address) {
    this.devices = devices;
    this.admission = admission;
    this.meter = meter;
    this.channel = channel;
    this.listener = listener;
    this.address = address;
  }

  static DisniAcceptor listen(
      DisniDevices devices,
      InetSocketAddress bindAddress,
      Admission admission,
      TransportMeter meter)
      throws TransportException {
    try {
      RdmaEventChannel channel = RdmaEventChannel.createEventChannel();
      try {
        return listen(devices, bindAddress, admission, meter, channel);
      } catch (IOException | RuntimeException | Error e) {
        channel.destroyEventChannel();
        throw e;
      }
    } catch (IOException e) {
      throw new TransportException(
          "disni: cannot listen on " + bindAddress + ": " + ErrorText.of(e), e);
    }
  }

  /** Takes over the channel; if that fails, the caller still owns it. */
  private static DisniAcceptor listen(
      DisniDevices devices,
      InetSocketAddress bindAddress,
      Admission admission,
      TransportMeter meter,
      RdmaEventChannel channel)
      throws IOException {
    RdmaCmId listener = channel.createId(RdmaCm.RDMA_PS_TCP);
    try {
      listener.bindAddr(bindAddress);
      listener.listen(BACKLOG);
      int port = ((InetSocketAddress) listener.getSource()).getPort();
      DisniAcceptor acceptor =
          new DisniAcceptor(
              devices,
              admission,
              meter,
              channel,
              listener,
              new InetSocketAddress(bindAddress.getAddress(), port));
      DaemonThreads.create("sluice-disni-server-" + port, acceptor::run).start();
      return acceptor;
    } catch (IOException | RuntimeException | Error e) {
      listener.destroyId();
      throw e;
    }
  }

  InetSocketAddress address() {
    return address;
  }

  private void run() {
    try {
      while (!closing) {
        RdmaCmEvent event = poll();
        if (event != null) {
          handle(event);
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      SafeLog.error(LOG, "disni: the listener on {} failed; its connections are lost", address, e);
    } finally {
      destroyAll();
      ended.countDown();
    }
  }

  /** Waits for an event. DiSNI allocates objects for each event, so it may lose one. */
  private RdmaCmEvent poll() throws IOException {
    try {
      return CmEvents.poll(channel, CmEvents.SLICE_MS);
    } catch (OutOfMemoryError e) {
      SafeLog.warn(LOG, "disni: no memory for an event on {}, trying again", address, e);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(CmEvents.SLICE_MS));
      return null;
    }
  }

  /** Handles an event; a failure ends no other client's connection. */
  private synchronized void handle(RdmaCmEvent event) {
    try {
      RdmaCmId id = event.getConnIdPriv();
      switch (CmEvents.type(event)) {
        case RDMA_CM_EVENT_CONNECT_REQUEST -> accept(id);
        case RDMA_CM_EVENT_ESTABLISHED -> established(id);
        case RDMA_CM_EVENT_DISCONNECTED,
            RDMA_CM_EVENT_CONNECT_ERROR,
            RDMA_CM_EVENT_UNREACHABLE,
            RDMA_CM_EVENT_REJECTED ->
            drop(id);
        case RDMA_CM_EVENT_DEVICE_REMOVAL -> {
          LOG.warn("disni: the RDMA device under {} was removed", address);
          drop(id);
        }
        default -> LOG.debug("disni: {} on {}", CmEvents.type(event), address);
      }
    } catch (IOException | RuntimeException | Error e) {
      SafeLog.warn(LOG, "disni: a connection on {} could not be ended", address, e);
    }
  }

  /** Accepts or refuses a client; a failure ends no other client's connection. */
  private void accept(RdmaCmId id) {
    Admission.Place place = null;
    DisniQueuePair pair = null;
    try {
      InetSocketAddress client = (InetSocketAddress) id.getDestination();
      place = admission.enter(client.getAddress()).orElse(null);
      if (place == null) {
        LOG.debug(
            "disni: refused {} on {}: it is not expected, or there are too many connections",
            client,
            address);
        refuse(id, null);
        return;
      }
      pair = DisniQueuePair.create(id, devices.of(id), 1);
      id.accept(DisniQueuePair.connectParameters());
      connections.put(id, new Accepted(pair, place));
    } catch (IOException | RuntimeException | Error e) {
      connections.remove(id);
      refuse(id, pair);
      if (place == null) { // unexpected clients must not fill the log
        SafeLog.debug(LOG, "disni: cannot answer a connection on {}", address, e);
      } else {
        place.leave();
        SafeLog.warn(LOG, "disni: cannot accept a connection on {}", address, e);
      }
    }
  }

  private void refuse(RdmaCmId id, DisniQueuePair pair) {
    try {
      destroy(id, pair); // this tells the client
    } catch (IOException | RuntimeException | Error e) {
      SafeLog.debug(LOG, "disni: a refused connection on {} could not be destroyed", address, e);
    }
  }

  private static void destroy(RdmaCmId id, DisniQueuePair pair) throws IOException {
    try {
      if (pair != null) {
        pair.destroy(0);
      }
    } finally {
      id.destroyId();
    }
  }

  private void established(RdmaCmId id) {
    Accepted connection = connections.get(id);
    if (connection != null) {
      connection.established = true;
      meter.connectionOpened();
    }
  }

  private void drop(RdmaCmId id) throws IOException {
    Accepted connection = connections.remove(id);
    if (connection != null) {
      connection.place.leave();
      try {
        id.disconnect();
      } finally {
        try {
          destroy(id, connection.pair);
        } finally {
          if (connection.established) {
            meter.connectionClosed();
          }
        }
      }
    }
  }

  synchronized void destroyQueuePairs() {
    try {
      for (Accepted connection : connections.values()) {
        connection.pair.destroyPair();
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private synchronized void destroyAll() {
    try {
      List<Closeable> ends = new ArrayList<>();
      connections.keySet().forEach(id -> ends.add(() -> drop(id)));
      ends.add(listener::destroyId);
      ends.add(channel::destroyEventChannel);
      Closer.all(ends);
    } catch (IOException | RuntimeException | Error e) {
      SafeLog.error(LOG, "disni: the listener on {} could not be destroyed", address, e);
    }
  }

  /** Whether it no longer uses any device. */
  boolean hasEnded() {
    return ended.getCount() == 0;
  }

  void close() {
    closing = true;
    if (!Uninterruptibly.await(ended, END_LIMIT_MS)) {
      throw new IllegalStateException(
          "disni: the listener on " + address + " did not end within " + END_LIMIT_MS + " ms");
    }
  }
}
