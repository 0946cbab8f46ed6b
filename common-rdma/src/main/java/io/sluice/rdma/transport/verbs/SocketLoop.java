package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.support.Uninterruptibly;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Iterator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that watches control sockets: for new clients, for the messages of their set-up, and
 * for the loss of a peer.
 *
 * <p>Thread contract: safe from any thread; members are called on its thread only. Ownership:
 * whoever started it closes it. Failure: a member that fails ends, and the others go on.
 */
final class SocketLoop {
  private static final Logger LOG = LoggerFactory.getLogger(SocketLoop.class);
  private static final long END_LIMIT_MS = 10_000;
  private static final long PAUSE_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A socket in the loop. */
  interface Member {
    /** Reads, or accepts; a failure ends the member. */
    void ready() throws IOException;

    /**
     * Ends it, because of a failure or of the end of the loop. It is not called again.
     *
     * @param cause null at the end of the loop
     */
    void end(Throwable cause);
  }

  private final Selector selector;
  private final Thread thread;
  private final CountDownLatch over = new CountDownLatch(1);
  private final Object lock = new Object();
  private boolean ended; // guarded by the lock
  private volatile boolean closing;

  private SocketLoop(String name, Selector selector) {
    this.selector = selector;
    this.thread = DaemonThreads.create(name, this::run);
  }

  /** Starts a loop without sockets. */
  static SocketLoop start(String name) throws IOException {
    Selector selector = Selector.open();
    try {
      SocketLoop loop = new SocketLoop(name, selector);
      loop.thread.start();
      return loop;
    } catch (RuntimeException | Error e) { // for want of memory or threads
      selector.close();
      throw e;
    }
  }

  /**
   * Adds a socket that does not block.
   *
   * @param operation {@code SelectionKey.OP_*}
   * @throws ClosedSelectorException if the loop has ended
   */
  void add(SelectableChannel channel, int operation, Member member) throws IOException {
    synchronized (lock) {
      if (ended) {
        throw new ClosedSelectorException();
      }
      channel.register(selector, operation, member);
    }
    selector.wakeup();
  }

  /** Removes a closed socket from the selector, which only then closes the descriptor. */
  void forgetClosed() {
    selector.wakeup();
  }

  private void run() {
    try {
      while (!closing) {
        turn();
      }
    } catch (IOException | ClosedSelectorException e) {
      SafeLog.error(LOG, "{} failed, and ends its connections", thread.getName(), e);
    } finally {
      end();
    }
  }

  private void turn() throws IOException {
    try {
      selector.select();
      for (Iterator<SelectionKey> each = selector.selectedKeys().iterator(); each.hasNext(); ) {
        SelectionKey key = each.next();
        each.remove();
        ready(key);
      }
    } catch (Error e) { // mostly for want of memory
      SafeLog.error(LOG, "{}: a turn failed, trying again", thread.getName(), e);
      LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS);
    }
  }

  private void ready(SelectionKey key) {
    Member member = (Member) key.attachment();
    try {
      if (key.isValid()) {
        member.ready();
      }
    } catch (IOException | RuntimeException | Error e) {
      key.cancel();
      end(member, e);
    }
  }

  private void end(Member member, Throwable cause) {
    try {
      member.end(cause);
    } catch (RuntimeException | Error e) {
      SafeLog.error(LOG, "{}: a connection did not end normally", thread.getName(), e);
    }
  }

  private void end() {
    try {
      synchronized (lock) {
        ended = true;
      }
      for (SelectionKey key : selector.keys()) {
        if (key.isValid()) {
          end((Member) key.attachment(), null);
        }
      }
      selector.close();
    } catch (IOException | RuntimeException | Error e) {
      SafeLog.warn(LOG, "{}: it did not end normally", thread.getName(), e);
    } finally {
      over.countDown();
    }
  }

  /** Whether its thread uses nothing any more. */
  boolean hasEnded() {
    return over.getCount() == 0;
  }

  /**
   * Ends all members, and returns when the loop has ended.
   *
   * @throws IllegalStateException if it does not end in time
   */
  void close() {
    closing = true;
    selector.wakeup();
    if (!Uninterruptibly.await(over, END_LIMIT_MS)) {
      throw new IllegalStateException(
          thread.getName() + " did not end within " + END_LIMIT_MS + " ms of being closed");
    }
  }
}
