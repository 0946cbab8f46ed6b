package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.TransportException.ReadTimeoutException;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
import io.sluice.rdma.transport.support.ClientEndpointBase.ClientResources;
import io.sluice.rdma.transport.support.PendingRead;
import io.sluice.rdma.transport.support.ReadFactory;
import io.sluice.rdma.transport.support.Uninterruptibly;
import io.sluice.rdma.transport.support.WaitingFuture;
import io.sluice.rdma.transport.verbs.VerbsClientEndpoint.VerbsRegisteredBuffer;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client's end of a connection. Callers post reads to the NIC, and those that wait for one poll
 * for its completion. A thread takes the completions that nobody waits for, and ends the
 * connection.
 *
 * <p>A failed read completes only when the queue pair is destroyed; until then the NIC might still
 * write. If the device refuses to destroy it and to stop it, the read fails, but its destination
 * stays held for good.
 *
 * <p>Thread contract: safe from any thread. Ownership: see {@link Connection}; the thread destroys
 * the native part and closes the socket when the connection ends.
 */
final class VerbsConnection implements Connection, SocketLoop.Member, VerbsDevice.User {
  private static final Logger LOG = LoggerFactory.getLogger(VerbsConnection.class);
  private static final long END_LIMIT_MS = 10_000;
  private static final long PAUSE_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final String CLOSED_HERE = "closed by this side";

  private final ClientResources resources;
  private final VerbsLink link;
  private final ReadFactory factory;
  private final Thread thread;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Object lock = new Object();
  private final Queue<ReadPart> waiting = new ArrayDeque<>();
  private final Consumer<PendingRead> failing = this::fail; // both made while there is memory
  private final Runnable destruction = this::drainAndDestroy;
  private final CompletionTurns turns;
  private PendingRead late;
  private PendingRead refused;
  private PendingRead unanswered;
  private volatile String endReason;

  VerbsConnection(ClientResources resources, VerbsLink link) {
    this.resources = resources;
    this.link = link;
    this.turns = new CompletionTurns(link.queue(), this::isOpen, this::takeCompletions);
    this.factory =
        new ReadFactory(
            resources,
            link.remote().toString(),
            () -> new WaitingFuture(this::pollFor),
            this::submit,
            this::late);
    this.thread = DaemonThreads.create("sluice-verbs-" + link.remote().getPort(), this::run);
  }

  /** Starts its thread, and the watch for the loss of the peer; if that fails, it has ended. */
  void start() throws IOException {
    resources.meter().connectionOpened();
    try {
      link.port().device().add(this);
      thread.start();
    } catch (RuntimeException | Error e) { // of memory or threads
      end("its thread could not be started");
      finish();
      throw e;
    }
    try {
      link.watch(this);
    } catch (IOException | RuntimeException | Error e) {
      end(ErrorText.ofEnd("its socket cannot be watched", e));
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
    OptionalInt remoteKey = VerbsRegion.remoteKey(read.remote(), link.remoteDevice());
    if (remoteKey.isEmpty()) {
      read.fail(
          new RemoteAccessException(
              read + ": the descriptor has no rkey of verbs for the device of this connection"));
      return;
    }
    List<ReadPart> parts = parts(read, remoteKey.getAsInt());
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

  private List<ReadPart> parts(PendingRead read, int remoteKey) {
    VerbsRegisteredBuffer landing = (VerbsRegisteredBuffer) read.destination().registration();
    ByteBuffer target = read.landing();
    return ReadPart.of(
        read,
        target.hasRemaining() ? LibVerbs.address(target) : 0,
        landing.localKey(link.port().device()),
        VerbsRegion.address(read.remote()) + read.remoteOffsetBytes(),
        remoteKey);
  }

  private void postWaiting() {
    if (isOpen()) {
      try {
        link.queue().post(waiting);
      } catch (IOException | RuntimeException | Error e) {
        end(ErrorText.ofEnd("posting a read failed", e)); // which fails them
      }
    }
  }

  private void run() {
    try {
      turns.run();
    } catch (IOException | RuntimeException | Error e) {
      endForFailure(e);
    } finally {
      finish();
    }
  }

  private void pollFor(WaitingFuture read) {
    try {
      turns.poll(read::isDone);
    } catch (IOException | RuntimeException | Error e) {
      endForFailure(e);
    }
  }

  private void endForFailure(Throwable e) {
    SafeLog.warn(LOG, "verbs: connection to {} failed", link.remote(), e);
    end(ErrorText.ofEnd("it failed", e));
  }

  /** Completes what has arrived, and then posts more. Callbacks run in the turn, under no lock. */
  private void takeCompletions() {
    VerbsReadQueue queue = link.queue();
    for (int i = 0; i < queue.polled(); i++) {
      ReadPart part;
      synchronized (lock) {
        part = queue.part(i);
      }
      if (queue.status(i) == VerbsLayout.STATUS_SUCCESS) {
        part.arrived();
      } else {
        failed(part.read(), queue.status(i));
      }
    }
    synchronized (lock) {
      queue.release();
      postWaiting();
    }
  }

  /** A failed completion ends the connection; the first one tells why. */
  private void failed(PendingRead read, int status) {
    synchronized (lock) {
      if (status == VerbsLayout.STATUS_REMOTE_ACCESS && refused == null) {
        refused = read;
      } else if (status == VerbsLayout.STATUS_NO_ANSWER && unanswered == null) {
        unanswered = read;
      }
      end(read + " ended with " + VerbsLayout.statusName(status));
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
          link.end();
        } catch (IOException | RuntimeException | Error e) { // reads are posted, and must not fail
          SafeLog.warn(LOG, "verbs: the thread of {} was not woken", this, e);
        }
      }
    }
  }

  /**
   * Destroys the native part and fails the reads. No other thread uses the native part once it has
   * ended, so the lock is free while the device takes its time. Needs no memory of the heap until
   * the queue pair is destroyed.
   */
  private void finish() {
    synchronized (lock) { // after the thread that ended it has woken this one
      if (isOpen()) {
        endReason = "its thread failed";
      }
    }
    try {
      link.port().device().remove(this);
      turns.last(destruction);
      resources.meter().connectionClosed();
    } finally {
      try {
        failUnfinished();
      } finally {
        resources.ended(this);
        ended.countDown();
      }
    }
  }

  private void drainAndDestroy() {
    drain();
    destroy();
  }

  /** Destroys the native part; tries again while memory is short, as the NIC might still write. */
  private void destroy() {
    while (true) {
      try {
        link.close();
        return;
      } catch (OutOfMemoryError e) {
        SafeLog.error(LOG, "verbs: {} was not destroyed, trying again", this, e);
        LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS);
      } catch (IOException | RuntimeException | Error e) {
        SafeLog.error(LOG, "verbs: {} was not destroyed; its memory is kept", this, e);
        return;
      }
    }
  }

  private void failUnfinished() {
    VerbsReadQueue queue = link.queue();
    for (ReadPart part = queue.takeOutstanding(); part != null; part = queue.takeOutstanding()) {
      failUnfinished(part.read());
    }
    for (ReadPart part = waiting.poll(); part != null; part = waiting.poll()) {
      failUnfinished(part.read());
    }
  }

  private void failUnfinished(PendingRead read) {
    if (!link.queue().pair().isStopped() && !read.isCompleted()) {
      read.destination().hold(); // for good: the NIC might still write to it
    }
    read.endBy(failing);
  }

  /**
   * Takes what has completed before the queue pair is destroyed. The peer may have ended the
   * connection because its NIC refused a read, and then only the completion tells so.
   */
  private void drain() {
    try {
      link.queue().fail();
      while (link.queue().poll()) {
        takeCompletions();
      }
    } catch (IOException | RuntimeException | Error e) {
      SafeLog.debug(LOG, "verbs: the completions of {} cannot be taken", this, e);
    }
  }

  private void fail(PendingRead read) {
    if (read == late) {
      read.failLate();
    } else if (read == refused) {
      read.fail(new RemoteAccessException(read + " was refused by the peer's NIC"));
    } else if (read == unanswered) {
      read.fail(
          new ReadTimeoutException(
              read
                  + " got no answer from the peer's NIC, however often it was repeated; do a"
                  + " firewall, the routes and the MTU between the hosts let RDMA pass?"));
    } else {
      failAsLost(read);
    }
  }

  private void failAsLost(PendingRead read) {
    read.fail(new ConnectionLostException(read + " failed: connection lost: " + endReason));
  }

  @Override
  public long pair() {
    return link.queue().pair().handle();
  }

  @Override
  public int port() {
    return link.port().number();
  }

  @Override
  public void lost(String reason) {
    end(reason);
  }

  /** Its socket is readable: the peer has ended, because it sends nothing. */
  @Override
  public void ready() throws IOException {
    throw new EOFException("the peer ended the connection");
  }

  @Override
  public void end(Throwable cause) {
    if (cause == null) {
      end(CLOSED_HERE);
    } else {
      end(ErrorText.ofEnd("its socket failed", cause));
    }
  }

  @Override
  public boolean isOpen() {
    return endReason == null;
  }

  @Override
  public void close() {
    end(CLOSED_HERE);
    if (Thread.currentThread() != thread
        && !turns.isMine()
        && !Uninterruptibly.await(ended, END_LIMIT_MS)) {
      throw new IllegalStateException(
          this
              + " did not end within "
              + END_LIMIT_MS
              + " ms; a callback of one of its reads must be blocking");
    }
  }

  @Override
  public String toString() {
    return "verbs connection to " + link.remote();
  }
}
