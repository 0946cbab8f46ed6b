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
import io.sluice.rdma.transport.disni.DisniLink.CmEvents;
import io.sluice.rdma.transport.disni.DisniRegion.DisniAddress;
import io.sluice.rdma.transport.support.ClientEndpointBase.ClientResources;
import io.sluice.rdma.transport.support.PendingRead;
import io.sluice.rdma.transport.support.ReadFactory;
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
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client's end of a connection. Callers post work requests to the NIC; one thread takes the
 * completions.
 *
 * <p>Completions are matched by the id of the work request alone, the only correct field of a
 * failed completion in DiSNI. A failed read completes only when the queue pair is destroyed; until
 * then the NIC might still write.
 *
 * <p>Thread contract: safe from any thread. Ownership: see {@link Connection}; the thread destroys
 * the native part when the connection ends.
 */
final class DisniConnection implements Connection {
  /** Work requests that are posted at a time; further ones wait here. */
  static final int MAX_OUTSTANDING = 128;

  private static final Logger LOG = LoggerFactory.getLogger(DisniConnection.class);
  private static final long END_LIMIT_MS = 10_000;

  private final ClientResources resources;
  private final InetSocketAddress remote;
  private final DisniLink link;
  private final ReadFactory factory;
  private final Thread thread;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Object lock = new Object();
  private final Map<Long, DisniRead.Part> posted = new HashMap<>();
  private final Queue<DisniRead.Part> waiting = new ArrayDeque<>();
  private final Consumer<PendingRead> failing = this::fail; // both made while there is memory
  private final BiConsumer<Long, DisniRead.Part> failingPosted =
      (id, part) -> failUnfinished(part.whole().read());
  private long nextWorkRequestId;
  private PendingRead late;
  private PendingRead refused;
  private boolean stopped; // the NIC writes nothing more; its thread only
  private volatile String endReason;

  DisniConnection(ClientResources resources, InetSocketAddress remote, DisniLink link) {
    this.resources = resources;
    this.remote = remote;
    this.link = link;
    this.factory = new ReadFactory(resources, remote.toString(), this::submit, this::late);
    this.thread = DaemonThreads.create("sluice-disni-" + remote.getPort(), this::run);
  }

  void start() {
    resources.meter().connectionOpened();
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
    return factory.start(
        region, remoteOffsetBytes, destination, destinationOffsetBytes, lengthBytes, timeoutMs);
  }

  /** Throws only before parts of the read wait to be posted. */
  private void submit(PendingRead read) {
    OptionalInt remoteKey = DisniAddress.remoteKey(read.remote(), link.remote());
    if (remoteKey.isEmpty()) {
      read.fail(
          new RemoteAccessException(
              read + ": the descriptor has no rkey of disni for that address"));
      return;
    }
    DisniRegisteredBuffer landing = (DisniRegisteredBuffer) read.destination().registration();
    List<DisniRead.Part> parts =
        new DisniRead(read, landing.localKey(link.device()), remoteKey.getAsInt()).parts();
    boolean open;
    synchronized (lock) {
      open = isOpen();
      if (open) {
        waiting.addAll(parts);
        postWaiting();
      }
    }
    if (!open) {
      fail(read);
    } else if (parts.isEmpty()) {
      read.succeed();
    }
  }

  private void postWaiting() {
    try {
      while (isOpen() && posted.size() < MAX_OUTSTANDING && !waiting.isEmpty()) {
        DisniRead.Part part = waiting.element();
        long workRequestId = nextWorkRequestId++;
        posted.put(workRequestId, part); // first, so that it is always in one of them
        waiting.remove();
        part.whole().post(link.queue(), workRequestId, part);
      }
    } catch (IOException | RuntimeException | Error e) {
      end(ErrorText.ofEnd("posting a read failed", e)); // which fails them
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
      SafeLog.warn(LOG, "disni: connection to {} failed", remote, e);
      end(ErrorText.ofEnd("it failed", e));
    } finally {
      finish();
    }
  }

  /** A part stays posted until it has arrived, so that the connection's end finds it. */
  private void completed(long workRequestId, int status) {
    DisniRead.Part part;
    synchronized (lock) {
      part = posted.get(workRequestId);
    }
    if (status == IbvWcStatus.IBV_WC_SUCCESS.ordinal()) {
      part.whole().arrived(part);
      synchronized (lock) {
        posted.remove(workRequestId);
        postWaiting();
      }
    } else {
      failed(part.whole().read(), IbvWcStatus.valueOf(status));
    }
  }

  /** A failed completion ends the connection; the first one tells why. */
  private void failed(PendingRead read, IbvWcStatus cause) {
    synchronized (lock) {
      if (isOpen() && cause == IbvWcStatus.IBV_WC_REM_ACCESS_ERR) {
        refused = read;
      }
      end(read + " ended with " + cause);
    }
  }

  private void late(PendingRead read) {
    synchronized (lock) {
      if (isOpen() && !read.isCompleted()) {
        late = read;
        end(ErrorText.ofEnd("closed after the deadline of a read", read));
      }
    }
  }

  /** Ends the connection, once: no more reads are accepted, and the thread does the rest. */
  private void end(String reason) {
    synchronized (lock) {
      if (isOpen()) {
        endReason = reason;
        try {
          link.disconnect();
        } catch (IOException e) {
          SafeLog.debug(LOG, "disni: {} was disconnected already", this, e);
        } catch (RuntimeException | Error e) { // reads are posted, and must not fail
          SafeLog.warn(LOG, "disni: {} was not disconnected", this, e);
        }
      }
    }
  }

  /** Destroys the native part and fails the reads. Needs no memory of the heap for the latter. */
  private void finish() {
    synchronized (lock) { // not before the thread that ended it has disconnected
      if (isOpen()) {
        endReason = "its thread failed";
      }
      try {
        link.close();
        stopped = true;
      } catch (IOException | RuntimeException | Error e) {
        SafeLog.error(LOG, "disni: {} was not destroyed; its memory is kept", this, e);
      }
    }
    try {
      resources.meter().connectionClosed();
    } finally {
      try {
        posted.forEach(failingPosted);
        for (DisniRead.Part part = waiting.poll(); part != null; part = waiting.poll()) {
          failUnfinished(part.whole().read());
        }
      } finally {
        resources.ended(this);
        ended.countDown();
      }
    }
  }

  private void failUnfinished(PendingRead read) {
    if (!stopped && !read.isCompleted()) {
      read.destination().hold(); // for good: the NIC might still write to it
    }
    read.endBy(failing);
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
   * A read in flight, as one or several work requests.
   *
   * <p>Thread contract: the caller creates it; the connection's thread counts its completions.
   */
  static final class DisniRead {
    /** The bytes of one work request; every known device takes more in one message, rxe 8 MiB. */
    static final int MAX_PART_BYTES = 4 << 20;

    /** One work request's part of a read. */
    record Part(DisniRead whole, int offsetBytes, int lengthBytes) {}

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

    List<Part> parts() {
      List<Part> parts = new ArrayList<>();
      for (int at = 0; at < read.lengthBytes(); ) {
        int lengthBytes = Math.min(MAX_PART_BYTES, read.lengthBytes() - at);
        parts.add(new Part(this, at, lengthBytes));
        at += lengthBytes;
      }
      return parts;
    }

    void post(DisniWorkQueue queue, long workRequestId, Part part) throws IOException {
      queue.post(
          workRequestId,
          localAddress + part.offsetBytes(),
          localKey,
          remoteAddress + part.offsetBytes(),
          remoteKey,
          part.lengthBytes());
    }

    /** A part has arrived; the last one completes the read. */
    void arrived(Part part) {
      missingBytes -= part.lengthBytes();
      if (missingBytes == 0) {
        read.succeed();
      }
    }
  }
}
