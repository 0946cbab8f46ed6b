package io.sluice.rdma.transport.disni;

import com.ibm.disni.util.MemoryUtils;
import com.ibm.disni.verbs.IbvWC.IbvWcStatus;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
import io.sluice.rdma.transport.disni.DisniClientEndpoint.DisniRegisteredBuffer;
import io.sluice.rdma.transport.disni.DisniRegion.DisniAddress;
import io.sluice.rdma.transport.support.ClientEndpointBase.ClientResources;
import io.sluice.rdma.transport.support.PendingRead;
import io.sluice.rdma.transport.support.PendingRead.ReadFactory;
import io.sluice.rdma.transport.support.Uninterruptibly;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client's end of a connection: callers post to the NIC, one thread takes the completions.
 *
 * <p>Completions are matched by the id of the work request alone, the one thing that a failed
 * completion says truly in DiSNI. A read that failed is done only when the queue pair is destroyed;
 * until then the NIC might still write.
 *
 * <p>Thread contract: safe from any thread. Ownership: see {@link Connection}; the thread destroys
 * the native part when the connection ends.
 */
final class DisniConnection implements Connection {
  /** Work requests posted at once; further ones wait here. */
  static final int MAX_OUTSTANDING = 128;

  private static final Logger LOG = LoggerFactory.getLogger(DisniConnection.class);
  private static final long END_LIMIT_MS = 10_000;

  private final ClientResources holdings;
  private final InetSocketAddress remote;
  private final DisniLink link;
  private final ReadFactory factory;
  private final Thread thread;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Object lock = new Object();
  private final Map<Long, DisniRead.Piece> posted = new HashMap<>();
  private final Queue<DisniRead.Piece> waiting = new ArrayDeque<>();
  private final List<DisniRead.Piece> failed = new ArrayList<>(); // its thread only
  private long nextWorkRequestId;
  private PendingRead late;
  private PendingRead refused;
  private volatile String endReason;

  DisniConnection(ClientResources holdings, InetSocketAddress remote, DisniLink link) {
    this.holdings = holdings;
    this.remote = remote;
    this.link = link;
    this.factory = new ReadFactory(holdings, remote.toString());
    this.thread = DaemonThreads.create("sluice-disni-" + remote.getPort(), this::run);
  }

  void start() {
    holdings.meter().connectionOpened();
    try {
      thread.start();
    } catch (Error e) { // of memory or threads
      end("its thread could not be started");
      finish();
      throw e;
    }
  }

  @Override
  public CompletableFuture<Void> read(
      RegionDescriptor region,
      long remoteOffsetBytes,
      RegisteredBuffer destination,
      int destinationOffsetBytes,
      int lengthBytes,
      long timeoutMs) {
    PendingRead read =
        factory.open(
            region, remoteOffsetBytes, destination, destinationOffsetBytes, lengthBytes, timeoutMs);
    if (!read.failIfOutsideRegion()) {
      read.startDeadline(holdings.deadlines(), () -> late(read));
      submit(read);
    }
    return read.future();
  }

  private void submit(PendingRead read) {
    OptionalInt remoteKey = DisniAddress.remoteKey(read.remote(), link.remote());
    if (remoteKey.isEmpty()) {
      read.fail(
          new RemoteAccessException(
              read + ": the descriptor has no rkey of disni for that address"));
      return;
    }
    DisniRegisteredBuffer landing = (DisniRegisteredBuffer) read.destination().registration();
    List<DisniRead.Piece> pieces =
        new DisniRead(read, landing.localKey(link.device()), remoteKey.getAsInt()).pieces();
    boolean open;
    synchronized (lock) {
      open = isOpen();
      if (open) {
        waiting.addAll(pieces);
        postWaiting();
      }
    }
    if (!open) {
      failAsLost(read);
    } else if (pieces.isEmpty()) {
      read.succeed();
    }
  }

  private void postWaiting() {
    while (isOpen() && posted.size() < MAX_OUTSTANDING && !waiting.isEmpty()) {
      DisniRead.Piece piece = waiting.remove();
      long workRequestId = nextWorkRequestId++;
      posted.put(workRequestId, piece);
      try {
        piece.whole().post(link.queue(), workRequestId, piece);
      } catch (IOException e) {
        end("posting a read failed: " + ErrorText.of(e));
      }
    }
  }

  private void run() {
    try {
      while (isOpen()) {
        if (!link.queue().take(CmEvents.SLICE_MS, this::completed)) {
          link.loss().ifPresent(this::end);
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      SafeLog.warn(LOG, "disni: {} broke", remote, e);
      end("broken: " + ErrorText.of(e));
    } finally {
      finish();
    }
  }

  private void completed(long workRequestId, int status) {
    DisniRead.Piece piece;
    boolean arrived = status == IbvWcStatus.IBV_WC_SUCCESS.ordinal();
    synchronized (lock) {
      piece = posted.remove(workRequestId);
      if (arrived) {
        postWaiting();
      }
    }
    if (arrived) {
      piece.whole().arrived(piece);
    } else {
      failed.add(piece);
      IbvWcStatus cause = IbvWcStatus.valueOf(status);
      synchronized (lock) {
        if (isOpen() && cause == IbvWcStatus.IBV_WC_REM_ACCESS_ERR) {
          refused = piece.whole().read();
        }
        end(piece.whole().read() + " ended with " + cause);
      }
    }
  }

  private void late(PendingRead read) {
    synchronized (lock) {
      if (isOpen() && !read.isCompleted()) {
        late = read;
        end("given up for a late " + read);
      }
    }
  }

  /** Takes no more reads, once; the thread does the rest. */
  private void end(String reason) {
    synchronized (lock) {
      if (isOpen()) {
        endReason = reason;
        try {
          link.disconnect();
        } catch (IOException e) {
          LOG.debug("disni: {} was already broken", this, e);
        }
      }
    }
  }

  private void finish() {
    synchronized (lock) { // not before whoever ended it has disconnected
      try {
        link.close();
      } catch (IOException e) {
        LOG.error("disni: cannot destroy the queue pair of {}", this, e);
      }
      holdings.meter().connectionClosed();
      failed.addAll(posted.values());
      failed.addAll(waiting);
      posted.clear();
      waiting.clear();
    }
    PendingRead.endAll(failed.stream().map(piece -> piece.whole().read()).toList(), this::fail);
    holdings.ended(this);
    ended.countDown();
  }

  private void fail(PendingRead read) {
    if (read == late) {
      read.failLate();
    } else if (read == refused) {
      read.fail(new RemoteAccessException(read + " was refused by the peer's NIC"));
    } else {
      failAsLost(read);
    }
  }

  private void failAsLost(PendingRead read) {
    read.fail(new ConnectionLostException(read + " failed: connection lost: " + endReason));
  }

  @Override
  public boolean isOpen() {
    return endReason == null;
  }

  @Override
  public void close() {
    end("closed by this side");
    if (Thread.currentThread() != thread && !Uninterruptibly.await(ended, END_LIMIT_MS)) {
      throw new IllegalStateException(
          this
              + " did not end within "
              + END_LIMIT_MS
              + " ms; a callback of one of its reads must be blocking");
    }
  }

  @Override
  public String toString() {
    return "disni connection to " + remote;
  }

  /**
   * A read on its way through the NIC, as one or several work requests.
   *
   * <p>Thread contract: made by the caller; its completions are counted on the connection's thread.
   */
  static final class DisniRead {
    /** No device takes less in one message; rxe, the smallest met, takes 8 MiB. */
    static final int MAX_PIECE_BYTES = 4 << 20;

    /** One work request's part of a read. */
    record Piece(DisniRead whole, int offsetBytes, int lengthBytes) {}

    private final PendingRead read;
    private final long localAddress;
    private final int localKey;
    private final long remoteAddress;
    private final int remoteKey;
    private int missingBytes;

    DisniRead(PendingRead read, int localKey, int remoteKey) {
      this.read = read;
      this.localAddress = MemoryUtils.getAddress(read.landing());
      this.localKey = localKey;
      this.remoteAddress = DisniAddress.address(read.remote()) + read.remoteOffsetBytes();
      this.remoteKey = remoteKey;
      this.missingBytes = read.lengthBytes();
    }

    PendingRead read() {
      return read;
    }

    List<Piece> pieces() {
      List<Piece> pieces = new ArrayList<>();
      for (int at = 0; at < read.lengthBytes(); ) {
        int lengthBytes = Math.min(MAX_PIECE_BYTES, read.lengthBytes() - at);
        pieces.add(new Piece(this, at, lengthBytes));
        at += lengthBytes;
      }
      return pieces;
    }

    void post(DisniWorkQueue queue, long workRequestId, Piece piece) throws IOException {
      queue.post(
          workRequestId,
          localAddress + piece.offsetBytes(),
          localKey,
          remoteAddress + piece.offsetBytes(),
          remoteKey,
          piece.lengthBytes());
    }

    /** A piece has arrived; with the last one the read is done. */
    void arrived(Piece piece) {
      missingBytes -= piece.lengthBytes();
      if (missingBytes == 0) {
        read.succeed();
      }
    }
  }
}
