package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.support.Uninterruptibly;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that receives for many connections, each in its turn.
 *
 * <p>A turn is short, unless a callback of a read blocks in it, which it should not. Such a
 * callback delays only its own connection: {@link #watch} starts another thread for the other
 * connections, and the blocked thread returns its connection when the callback ends.
 *
 * <p>Thread contract: safe from any thread. The turns of one connection never overlap, even on
 * different threads. Ownership: {@link TcpClientEndpoint.TcpReadLoops} closes it. Failure: if the
 * loop itself fails, it ends all its connections.
 */
final class TcpReadLoop {
  private static final Logger LOG = LoggerFactory.getLogger(TcpReadLoop.class);
  private static final long END_LIMIT_MS = 10_000;

  private final String name;
  private final Selector selector;
  private final Queue<SelectionKey> wanted =
      new ConcurrentLinkedQueue<>(); // connections that want a turn
  private final CountDownLatch over = new CountDownLatch(1);
  private final Object lock = new Object();
  private final Map<SelectionKey, Thread> turns =
      new HashMap<>(); // turns in progress, with their threads
  private Thread thread; // the thread that runs the loop
  private long begunTurns;
  private long watchedTurns;
  private boolean closing;
  private boolean ended;

  /** A connection in the loop. */
  interface Member {
    /**
     * Receives bytes that have arrived, sends waiting requests, and ends if {@link #giveUp} was
     * called.
     */
    void turn();

    /** Makes it end in its next turn. */
    void giveUp(String reason, Throwable cause);
  }

  private TcpReadLoop(String name, Selector selector) {
    this.name = name;
    this.selector = selector;
    this.thread = DaemonThreads.create(name, this::run);
  }

  /** Starts a loop without connections. */
  static TcpReadLoop start(String name) throws IOException {
    Selector selector = Selector.open();
    try {
      TcpReadLoop loop = new TcpReadLoop(name, selector);
      loop.thread.start();
      return loop;
    } catch (RuntimeException | Error e) { // for want of memory or threads
      selector.close();
      throw e;
    }
  }

  /**
   * Adds a connection with a non-blocking channel. It gets no turn before it requests one.
   *
   * @throws ClosedSelectorException if the loop has ended
   */
  SelectionKey register(SocketChannel channel, Member member) throws IOException {
    synchronized (lock) {
      if (ended) {
        throw new ClosedSelectorException();
      }
      return channel.register(selector, 0, member);
    }
  }

  /** Gives a connection a turn whenever bytes arrive, and a first one soon. */
  void listen(SelectionKey key) {
    addInterest(key, SelectionKey.OP_READ);
    wantTurn(key);
  }

  /** Gives a connection a turn when its socket takes bytes again. */
  void awaitRoom(SelectionKey key) {
    addInterest(key, SelectionKey.OP_WRITE);
    selector.wakeup();
  }

  /** Gives a connection a turn soon. */
  void wantTurn(SelectionKey key) {
    wanted.add(key);
    selector.wakeup();
  }

  private static void addInterest(SelectionKey key, int operations) {
    try {
      key.interestOpsOr(operations);
    } catch (CancelledKeyException e) {
      // The connection has ended.
    }
  }

  /** Removes a closed socket from the selector, which only then closes the descriptor. */
  void forgetClosed() {
    selector.wakeup();
  }

  /**
   * Gives a connection a turn at once, for a callback that ends it, unless another thread runs its
   * turn.
   *
   * @return whether the caller need not wait: the turn is over, or the caller is a callback in it
   */
  boolean turnNow(SelectionKey key) {
    Thread caller = Thread.currentThread();
    synchronized (lock) {
      Thread other = turns.get(key);
      if (other != null || thread != caller) {
        return other == caller;
      }
    }
    giveTurn(key, caller);
    return true;
  }

  private void run() {
    Thread self = Thread.currentThread();
    Throwable failure = null;
    try {
      while (goesOn(self)) {
        Thread.interrupted(); // a callback may have set the flag
        selector.select();
        if (!giveTurns(self)) {
          return;
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
      SafeLog.error(LOG, "{} failed, and ends its connections", name, e);
    }
    if (mayEnd(self)) {
      end(failure);
    }
  }

  private boolean goesOn(Thread self) {
    synchronized (lock) {
      return thread == self && !closing;
    }
  }

  /** Returns whether this thread continues the loop. */
  private boolean giveTurns(Thread self) {
    List<SelectionKey> selected = new ArrayList<>(selector.selectedKeys());
    selector.selectedKeys().clear(); // before another thread may continue
    for (SelectionKey key : selected) {
      if (!giveTurn(key, self)) {
        return false; // the other keys are selected again
      }
    }
    for (SelectionKey key = wanted.poll(); key != null; key = wanted.poll()) {
      if (!giveTurn(key, self)) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether this thread continues the loop. */
  private boolean giveTurn(SelectionKey key, Thread self) {
    Member member = (Member) key.attachment();
    synchronized (lock) {
      if (turns.putIfAbsent(key, self) != null) {
        ignore(key); // a callback blocks its turn on another thread, which returns it later
        return true;
      }
      begunTurns++;
    }
    boolean replaced;
    boolean orphaned;
    try {
      member.turn();
    } finally {
      synchronized (lock) {
        turns.remove(key);
        replaced = thread != self;
        orphaned = replaced && ended;
      }
      if (orphaned) {
        end(member, null);
      } else if (replaced) {
        addInterest(key, SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        wantTurn(key);
      }
    }
    return !replaced;
  }

  private static void ignore(SelectionKey key) {
    try {
      key.interestOps(0);
    } catch (CancelledKeyException e) {
      // The connection has ended.
    }
  }

  /**
   * Starts another thread if this one is still in the same turn as at the previous call. One thread
   * calls it periodically.
   */
  void watch() {
    synchronized (lock) {
      if (!ended && begunTurns == watchedTurns && turns.containsValue(thread)) {
        LOG.warn(
            "A callback of a read blocks {}; another thread receives for the other connections",
            name);
        Thread next = DaemonThreads.create(name, this::run);
        next.start();
        thread = next;
      }
      watchedTurns = begunTurns;
    }
  }

  private boolean mayEnd(Thread self) {
    synchronized (lock) {
      if (thread != self) {
        return false;
      }
      ended = true;
      return true;
    }
  }

  private void end(Throwable failure) {
    for (SelectionKey key : selector.keys()) {
      boolean hasTurn;
      synchronized (lock) {
        hasTurn = turns.containsKey(key); // it ends with that turn
      }
      if (!hasTurn) {
        end((Member) key.attachment(), failure);
      }
    }
    try {
      selector.close();
    } catch (IOException e) {
      SafeLog.warn(LOG, "{}: closing its selector failed", name, e);
    }
    over.countDown();
  }

  private void end(Member member, Throwable failure) {
    try {
      member.giveUp(
          failure == null ? "closed by this side" : ErrorText.ofEnd("its thread failed", failure),
          failure);
      member.turn();
    } catch (RuntimeException | Error e) { // for want of memory: the others must end, too
      SafeLog.error(LOG, "{}: a connection did not end normally", name, e);
    }
  }

  /** The number of its connections. */
  int members() {
    synchronized (lock) {
      return ended ? 0 : selector.keys().size();
    }
  }

  /** Whether it accepts no more connections. */
  boolean hasEnded() {
    synchronized (lock) {
      return ended;
    }
  }

  /**
   * Ends all connections, and returns when the loop has ended; at once if a callback of a read
   * calls it.
   */
  void close() {
    boolean inCallback;
    synchronized (lock) {
      closing = true;
      inCallback = thread == Thread.currentThread();
    }
    selector.wakeup();
    if (!inCallback && !Uninterruptibly.await(over, END_LIMIT_MS)) {
      throw new IllegalStateException(
          name + " did not end within " + END_LIMIT_MS + " ms of being closed");
    }
  }
}
