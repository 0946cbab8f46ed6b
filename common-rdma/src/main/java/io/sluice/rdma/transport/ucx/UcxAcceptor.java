package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.support.TransportMeter;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.openucx.jucx.ucp.UcpConnectionRequest;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpListener;
import org.openucx.jucx.ucp.UcpListenerParams;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listener and the server's ends of its connections. It keeps them reachable, because UCX has
 * only weak references to listeners and error handlers.
 *
 * <p>Thread contract: the loop only. Ownership: {@link UcxServerEndpoint} closes it. Failure: a
 * client that fails costs its own connection only.
 */
final class UcxAcceptor {
  private static final Logger LOG = LoggerFactory.getLogger(UcxAcceptor.class);

  private final UcxLoop loop;
  private final TransportMeter meter;
  private final UcpListener listener;
  private final InetSocketAddress address;
  private final Admission admission;
  private final Map<UcpEndpoint, Admission.Place> endpoints = new HashMap<>();
  private final Set<UcpEndpoint> ending = new HashSet<>();
  private boolean closed;
  private Runnable afterLast;

  /**
   * Listens at {@code bindAddress}; if a device has that address, at the same port of all devices.
   * When a device is removed, rdmacm tells the listeners on its addresses, and UCX 1.13 takes that
   * event for a connection and crashes. A listener on all devices gets no such event.
   */
  UcxAcceptor(
      UcxLoop loop,
      UcxSettings settings,
      InetSocketAddress bindAddress,
      Admission admission,
      TransportMeter meter) {
    this.loop = loop;
    this.admission = admission;
    this.meter = meter;
    if (settings.needsDevice()) {
      listen(new InetSocketAddress(bindAddress.getAddress(), 0))
          .close(); // fails if no device has the address
      this.listener = listen(new InetSocketAddress(bindAddress.getPort()));
    } else {
      this.listener = listen(bindAddress);
    }
    this.address = new InetSocketAddress(bindAddress.getAddress(), listener.getAddress().getPort());
  }

  private UcpListener listen(InetSocketAddress at) {
    return loop.worker()
        .newListener(
            new UcpListenerParams()
                .setSockAddr(at)
                .setConnectionHandler(request -> loop.execute(() -> accept(request))));
  }

  InetSocketAddress address() {
    return address;
  }

  private void accept(UcpConnectionRequest request) {
    if (closed) {
      return; // the listener is closed, and the request with it
    }
    Admission.Place place = null;
    UcpEndpoint accepted = null;
    boolean answered = false;
    try { // an exception would end the loop
      InetSocketAddress client = request.getClientAddress();
      place = admission.enter(client.getAddress()).orElse(null);
      answered = true; // from here on UCX owns the request, even after a failure
      if (place == null) {
        LOG.debug(
            "ucx: refused {} on {}: it is not expected, or there are too many connections",
            client,
            address);
        request.reject();
        return;
      }
      accepted =
          loop.worker()
              .newEndpoint(
                  new UcpEndpointParams()
                      .setConnectionRequest(request)
                      .setPeerErrorHandlingMode()
                      .setErrorHandler(
                          (endpoint, status, message) ->
                              loop.execute(() -> drop(endpoint, message))));
      endpoints.put(accepted, place);
      meter.connectionOpened();
    } catch (RuntimeException | Error e) { // mostly from UCX, or for want of memory
      if (accepted != null) {
        giveUp(accepted);
      } else if (!answered) {
        reject(request);
      }
      if (place == null) { // unexpected clients must not fill the log
        SafeLog.debug(LOG, "ucx: cannot refuse a connection on {}", address, e);
      } else {
        place.leave();
        SafeLog.warn(LOG, "ucx: cannot accept a connection on {}", address, e);
      }
    }
  }

  /** Refuses a connection, so that the client does not wait for its deadline. */
  private void reject(UcpConnectionRequest request) {
    try {
      request.reject();
    } catch (RuntimeException | Error e) {
      SafeLog.debug(LOG, "ucx: cannot refuse a connection on {}", address, e);
    }
  }

  /** Ends a connection that was accepted but failed before it was recorded. */
  private void giveUp(UcpEndpoint accepted) {
    try {
      endpoints.remove(accepted);
      loop.closeForced(accepted, () -> {});
    } catch (RuntimeException | Error e) {
      SafeLog.debug(LOG, "ucx: cannot end a connection on {}", address, e);
    }
  }

  private void drop(UcpEndpoint endpoint, String reason) {
    if (endpoints.containsKey(endpoint) && ending.add(endpoint)) {
      LOG.debug("ucx: a connection on {} ended: {}", address, reason);
      loop.closeForced(endpoint, () -> forget(endpoint));
    }
  }

  private void forget(UcpEndpoint endpoint) {
    ending.remove(endpoint);
    Admission.Place place = endpoints.remove(endpoint);
    if (place != null) {
      place.leave();
      meter.connectionClosed();
      if (closed && endpoints.isEmpty()) {
        afterLast.run();
      }
    }
  }

  void dropAll(String reason) {
    List.copyOf(endpoints.keySet()).forEach(endpoint -> drop(endpoint, reason));
  }

  /** Stops listening, drops every connection, then runs {@code then}. */
  void close(Runnable then) {
    closed = true;
    afterLast = then;
    listener.close();
    if (endpoints.isEmpty()) {
      then.run();
    } else {
      dropAll("server closed");
    }
  }
}
