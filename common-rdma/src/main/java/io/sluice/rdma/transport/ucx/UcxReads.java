package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
import io.sluice.rdma.transport.support.PendingRead;
import io.sluice.rdma.transport.support.TransportMeter;
import io.sluice.rdma.transport.ucx.UcxRegion.UcxAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpRequest;

/**
 * The part of a client's UCX connection that runs on the loop: the native endpoint, its unpacked
 * remote keys, and the reads in flight.
 *
 * <p>A failed read completes only when the endpoint was closed by force and UCX has released its
 * requests; until then the NIC might still write. UCX may report one failure by an exception, by a
 * callback and by the error handler. All of them call {@link #end}, which acts once.
 *
 * <p>Thread contract: the loop only, except for {@link #isOpen} and {@link #endReason}. Ownership:
 * it releases the native endpoint, then the remote keys.
 */
final class UcxReads {
  private final UcxLoop loop;
  private final InetSocketAddress remote;
  private final TransportMeter meter;
  private final Runnable whenEnded;
  private final Map<RegionDescriptor, UcpRemoteKey> remoteKeys = new HashMap<>();
  private final Set<PendingRead> inFlight = new LinkedHashSet<>();
  private UcpEndpoint peer;
  private PendingRead late;
  private Runnable whenDecided;
  private volatile boolean open;
  private volatile String endReason;

  UcxReads(UcxLoop loop, InetSocketAddress remote, TransportMeter meter, Runnable whenEnded) {
    this.loop = loop;
    this.remote = remote;
    this.meter = meter;
    this.whenEnded = whenEnded;
  }

  /** Starts to connect; {@code decided} runs on success or failure. */
  void connect(Runnable decided) {
    whenDecided = decided;
    if (endReason != null) {
      decided.run();
      return;
    }
    try {
      peer =
          loop.worker()
              .newEndpoint(
                  new UcpEndpointParams()
                      .setSocketAddress(remote)
                      .setPeerErrorHandlingMode()
                      .setErrorHandler((ep, status, message) -> onLoop(() -> end(message))));
      peer.flushNonBlocking(
          callback(this::connected, message -> end("connecting failed: " + message)));
    } catch (UcxException e) {
      end(e.getMessage());
    }
  }

  private void connected() {
    if (endReason == null && !open) {
      open = true;
      meter.connectionOpened();
      whenDecided.run();
    }
  }

  void issue(PendingRead read) {
    try {
      post(read);
    } catch (RuntimeException | Error e) { // an Error mostly for want of memory
      if (inFlight.contains(read)) {
        end(ErrorText.ofEnd("posting a read failed", e)); // which fails it: UCX may have taken it
      } else {
        read.failUnstarted(e);
      }
    }
  }

  private void post(PendingRead read) {
    if (!open) {
      fail(read);
      return;
    }
    if (read.lengthBytes() == 0) {
      read.succeed(); // UCX leaks its request object on an immediate completion
      return;
    }
    if (!UcxAddress.isPacked(read.remote())) {
      read.fail(new RemoteAccessException(read + ": the descriptor is not one of ucx"));
      return;
    }
    inFlight.add(read);
    UcpRemoteKey key =
        remoteKeys.computeIfAbsent(
            read.remote(), descriptor -> UcxAddress.unpackRemoteKey(peer, descriptor));
    ByteBuffer landing = read.landing();
    peer.getNonBlocking(
        UcxAddress.address(read.remote()) + read.remoteOffsetBytes(),
        key,
        UcxUtils.getAddress(landing),
        landing.remaining(),
        callback(() -> done(read), this::end));
  }

  private void done(PendingRead read) {
    if (inFlight.remove(read)) {
      read.succeed();
    }
  }

  void late(PendingRead read) {
    if (!read.isCompleted()) {
      late = read;
      end(ErrorText.ofEnd("closed after the deadline of a read", read));
    }
  }

  /** Ends the connection, once; reads in flight fail when UCX has released them. */
  void end(String reason) {
    if (endReason != null) {
      return;
    }
    endReason = reason;
    if (open) {
      open = false;
      meter.connectionClosed();
    }
    if (peer == null) {
      released();
    } else {
      loop.closeForced(peer, this::released);
    }
  }

  private void released() {
    remoteKeys.values().forEach(UcpRemoteKey::close);
    remoteKeys.clear();
    List<PendingRead> failed = List.copyOf(inFlight);
    inFlight.clear();
    PendingRead.endAll(failed, this::endUnfinished);
    if (whenDecided != null) {
      whenDecided.run();
    }
    whenEnded.run();
  }

  private void endUnfinished(PendingRead read) {
    if (read == late) {
      read.failLate();
    } else {
      fail(read);
    }
  }

  private void fail(PendingRead read) {
    read.fail(new ConnectionLostException(read + " failed: connection lost: " + endReason));
  }

  boolean isOpen() {
    return open;
  }

  String endReason() {
    return endReason;
  }

  private void onLoop(Runnable task) {
    loop.execute(task);
  }

  /**
   * Makes a callback that only queues a task, because UCX does not tolerate exceptions from
   * callbacks.
   */
  private UcxCallback callback(Runnable onSuccess, Consumer<String> onError) {
    return new UcxCallback() {
      @Override
      public void onSuccess(UcpRequest request) {
        onLoop(onSuccess);
      }

      @Override
      public void onError(int status, String message) {
        onLoop(() -> onError.accept(message));
      }
    };
  }
}
