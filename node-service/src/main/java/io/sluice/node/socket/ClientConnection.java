package io.sluice.node.socket;

import io.sluice.node.socket.ClientSession.ServiceLink;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.memory.Closer;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.store.ExtentSource.PendingWrite;
import io.sluice.spill.store.StoreFullException;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A task's sessions with its service, one after the other: when one breaks, the next is opened with
 * the service's successor, for as long as a restart may take.
 *
 * <p>A restarted service that keeps its pool quarantines the extents that the task had leased, so
 * the task goes on. Two things end all sessions of a task that has a lease: a connection that
 * breaks while its service lives, because that service takes the lease back, and a successor that
 * has emptied the pool. A task without a lease loses nothing, and reconnects to the same service
 * too.
 *
 * <p>Thread contract: a thread that exchanges holds this object's monitor, so that exchanges follow
 * one another; {@link #close} and {@link #stopReconnecting} need none. Ownership: {@link
 * SocketClient} closes it. Failure: answers of the service are thrown as they are ({@link
 * ClientSession}); another failure closes the session and is thrown if no successor goes on.
 */
final class ClientConnection implements Closeable {
  private static final long FIRST_PAUSE_MS = 20;
  private static final long LONGEST_PAUSE_MS = 1_000;

  private final ServiceLink link;
  private final ClientSession.Hello hello;
  private final Timeouts timeouts;
  private final List<Closeable> locks = new ArrayList<>(); // of every lease since the first
  private volatile ClientSession session;
  private boolean leasing; // guarded by this: what the task holds ends with the service's lease
  private volatile boolean reconnects = true;
  private volatile boolean closed;

  /** An exchange with the service. */
  interface Step<T> {
    T run(ClientSession session) throws IOException;
  }

  private ClientConnection(ServiceLink link, ClientSession.Hello hello, Timeouts timeouts) {
    this.link = link;
    this.hello = hello;
    this.timeouts = timeouts;
  }

  static ClientConnection open(ServiceLink link, ClientSession.Hello hello, Timeouts timeouts)
      throws IOException {
    ClientConnection connection = new ClientConnection(link, hello, timeouts);
    connection.session = connection.openSession();
    return connection;
  }

  private ClientSession openSession() throws IOException {
    ClientSession opened = ClientSession.open(link, hello, timeouts.exchangeMs());
    try {
      keep(opened.lock());
      return opened;
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, opened);
      Closer.after(e, opened.lock());
      throw e;
    }
  }

  private void keep(Closeable lock) throws IOException {
    synchronized (locks) {
      if (lock != null) {
        locks.add(lock);
      }
    }
    if (closed) { // meanwhile, and perhaps without seeing this one
      releaseLocks();
    }
  }

  private void releaseLocks() throws IOException {
    synchronized (locks) {
      List<Closeable> all = List.copyOf(locks);
      locks.clear();
      Closer.all(all);
    }
  }

  /** The session of now. */
  ClientSession session() {
    return session;
  }

  /** The task is about to hold something that ends with the service's lease. */
  synchronized void dependOnLease() {
    leasing = true;
  }

  /** Runs a step, once more with the service's successor if the session breaks. */
  <T> T run(Step<T> step) throws IOException {
    try {
      return runOnce(step);
    } catch (RemoteError | StoreFullException | CorruptOutputException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      reconnect(e);
    }
    return runOnce(step);
  }

  /** Ends the session if the answer may still be on its way: the next request would take it. */
  <T> T runOnce(Step<T> step) throws IOException {
    ClientSession current = session;
    boolean inStep = false;
    try {
      T done = step.run(current);
      inStep = true;
      return done;
    } catch (RemoteError | StoreFullException | CorruptOutputException e) {
      inStep = true; // that was the answer
      throw e;
    } finally {
      if (!inStep) {
        current.close();
      }
    }
  }

  /** Opens the next session, unless the task itself is the cause. */
  void reconnect(Exception cause) throws IOException {
    if (closed || !reconnects || cause instanceof InterruptedIOException) {
      throw asThrown(cause);
    }
    if (!leasing) {
      releaseLocks(); // of a lease that nothing was written to
    }
    session = openSuccessor(cause);
    if (closed) { // meanwhile, and perhaps without seeing this session
      session.close();
      throw asThrown(cause);
    }
  }

  private static IOException asThrown(Exception cause) {
    if (cause instanceof RuntimeException e) {
      throw e;
    }
    return (IOException) cause;
  }

  private ClientSession openSuccessor(Exception cause) throws IOException {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeouts.restartMs());
    long pauseMs = FIRST_PAUSE_MS;
    while (true) {
      try {
        ClientSession next = openSession();
        checkSuccessor(next, cause);
        return next;
      } catch (IOException e) {
        boolean refused = e instanceof RemoteError error && error.code() != RemoteError.Code.BUSY;
        boolean late = System.nanoTime() - deadlineNs > 0;
        if (refused || late || closed || !reconnects || Thread.currentThread().isInterrupted()) {
          e.addSuppressed(cause);
          throw e;
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMs));
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  private void checkSuccessor(ClientSession next, Exception cause) throws IOException {
    String lost = null;
    if (leasing && next.serviceInstance() == session.serviceInstance()) {
      lost = "the connection to the node's service broke, which took the task's lease back";
    } else if (!next.info().poolId().equals(session.info().poolId())) {
      lost = "the node's service was restarted with an empty pool";
    }
    if (lost != null) {
      next.close();
      RemoteError error =
          new RemoteError(
              RemoteError.Code.REFUSED, lost + "; what this task has written there is lost");
      error.initCause(cause);
      throw error;
    }
  }

  /** A session that breaks from now on has no successor. */
  void stopReconnecting() {
    reconnects = false;
  }

  /** Ends the session, and with it an exchange that another thread is waiting in. */
  @Override
  public void close() throws IOException {
    closed = true;
    Closer.all(session, this::releaseLocks);
  }

  /**
   * Sends units that the service writes to the disk tier; the task prepares the next unit while the
   * service writes one. One unit at most has no answer yet. If the session breaks before the answer
   * comes, the unit is sent once more, to the service's successor.
   *
   * <p>Thread contract: safe from any thread, under the monitor of its {@link ClientConnection}.
   * Ownership: none; a caller keeps the bytes of a unit until it has awaited it. Failure: that of a
   * unit is told to the caller that awaits it; a unit that cannot be sent fails its sender.
   */
  static final class WritePipe {
    private final ClientConnection connection;
    private Unit sent; // guarded by the connection; null: every answer has come

    private final class Unit implements PendingWrite {
      private final int segmentId;
      private final long offsetBytes;
      private final ByteBuffer bytes;
      private boolean written; // as is the next, guarded by the connection
      private IOException failure;

      Unit(int segmentId, long offsetBytes, ByteBuffer bytes) {
        this.segmentId = segmentId;
        this.offsetBytes = offsetBytes;
        this.bytes = bytes;
      }

      private void writeHead(DataOutputStream out) throws IOException {
        out.writeInt(segmentId);
        out.writeLong(offsetBytes);
        out.writeInt(bytes.remaining());
      }

      @Override
      public void await() throws IOException {
        synchronized (connection) {
          if (sent == this) {
            settle();
          }
          if (failure != null) {
            throw failure;
          }
          if (!written) { // an Error was thrown where its answer was received
            throw new IOException("nobody knows whether a unit has reached the disk");
          }
        }
      }
    }

    WritePipe(ClientConnection connection) {
      this.connection = connection;
    }

    /** Returns when the service may have the unit; its answer is awaited later. */
    PendingWrite send(Extent extent, long offsetBytes, ByteBuffer bytes) throws IOException {
      Unit unit = new Unit(extent.segment().segmentId(), extent.offsetBytes() + offsetBytes, bytes);
      synchronized (connection) {
        settle();
        connection.run(
            session -> {
              session.send(SocketProtocol.WRITE, unit::writeHead, unit.bytes);
              return null;
            });
        sent = unit;
        return unit;
      }
    }

    /** Receives the answer that is still to come; called before any other exchange. */
    void settle() {
      Unit unit = sent;
      if (unit == null) {
        return;
      }
      sent = null;
      try {
        connection.runOnce(session -> session.receive().withoutFiles());
        unit.written = true;
      } catch (RemoteError | StoreFullException | CorruptOutputException e) {
        unit.failure = e;
      } catch (IOException | RuntimeException e) {
        sendAgain(unit, e);
      }
    }

    private void sendAgain(Unit unit, Exception cause) {
      try {
        connection.reconnect(cause);
        connection.runOnce(
            session ->
                session.exchange(SocketProtocol.WRITE, unit::writeHead, unit.bytes).withoutFiles());
        unit.written = true;
      } catch (IOException e) {
        unit.failure = e;
      } catch (RuntimeException e) {
        unit.failure = new IOException("a unit could not be written: " + e, e);
      }
    }
  }
}
