package io.sluice.node.wire;

import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.ConnectionCounters;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.FairShare;
import io.sluice.rdma.transport.support.Deadlines;
import io.sluice.rdma.transport.support.UnauthenticatedLimit;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections and gives each a thread of its own.
 *
 * <p>Peers that have not authenticated share a small number of connections. A peer that has counts
 * among the others, and is told to come later when these are as many as the limits allow. So no
 * peer can exhaust the threads of the process, and an unauthenticated one keeps out no other.
 *
 * <p>Thread contract: handlers run side by side. Ownership: {@link #close} ends the listener and
 * every connection, and waits a while for the handlers. Failure: what a handler throws ends its
 * connection and is logged; an accept that fails is tried again, after a pause, because giving up
 * would cut this node off until a restart. Errors of one connection, such as a lack of memory or
 * threads, are counted and logged too: they never reach the process, whose handler might end it.
 */
public final class Acceptor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);
  private static final long STACK_BYTES = 256 << 10;

  private static final long PAUSE_AFTER_FAILURE_MS = 100;
  private static final long CLOSE_TIMEOUT_MS = 5_000;

  private final String name;
  private final ConnectionLimits limits;
  private final Handler handler;
  private final Pause pause;
  private final Deadlines deadlines;
  private final UnauthenticatedLimit<MessageStream> unauthenticated;
  private final AuthenticatedLimit<MessageStream> authenticated;
  private final Map<MessageStream, Thread> connections = new ConcurrentHashMap<>();
  private final LongAdder refused = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final AtomicLong errors = new AtomicLong(); // which needs no memory
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread acceptThread;
  private volatile Listener listener; // another one if its socket was removed
  private int connectionNumber;

  /** Serves one connection until it ends; the acceptor closes the stream after it. */
  @FunctionalInterface
  public interface Handler {
    /** Returns, or throws, when the conversation is over. */
    void serve(MessageStream stream, Peer peer) throws IOException;
  }

  /** A connected peer. A handler tells the acceptor how far it is. */
  public interface Peer {
    /**
     * The peer has authenticated.
     *
     * @param sharer its user, if users share the limit as {@link FairShare} says; else null
     * @return false if the limit is reached; the handler is to tell the peer to come later
     * @throws EOFException if it took too long, and its connection was ended
     */
    boolean authenticated(Object sharer) throws EOFException;

    /**
     * The peer has its answer. Until {@link #used} its connection may be ended, after a while, in
     * favour of another one; the peer connects again then.
     */
    void unused();

    /**
     * The peer has asked something.
     *
     * @return false if its connection was ended in favour of another one
     */
    boolean used();
  }

  /** Lets some time pass after an accept that failed. */
  @FunctionalInterface
  interface Pause {
    /** Returns earlier if it is closed. */
    void after(CountDownLatch closed) throws InterruptedException;
  }

  /** Starts accepting from a listener, which it closes in the end. */
  public Acceptor(String name, Listener listener, ConnectionLimits limits, Handler handler) {
    this(
        name,
        listener,
        limits,
        handler,
        closed -> closed.await(PAUSE_AFTER_FAILURE_MS, TimeUnit.MILLISECONDS));
  }

  /** The same with pauses of one's own. */
  Acceptor(String name, Listener listener, ConnectionLimits limits, Handler handler, Pause pause) {
    this.name = name;
    this.listener = listener;
    this.limits = limits;
    this.handler = handler;
    this.pause = pause;
    this.authenticated =
        new AuthenticatedLimit<>(
            limits.maxConnections(),
            System::nanoTime,
            unused -> expel(unused, "is unused, and another one needs its place"));
    this.deadlines = new Deadlines(name + "-deadlines");
    this.unauthenticated =
        new UnauthenticatedLimit<>(
            limits.maxUnauthenticated(), limits.authenticationTimeoutMs(), deadlines, this::expel);
    this.acceptThread = DaemonThreads.create(name + "-accept", STACK_BYTES, this::acceptLoop);
    acceptThread.start();
  }

  private void acceptLoop() {
    while (!isClosed()) {
      Listener from = listener;
      try {
        take(from.accept());
      } catch (IOException | RuntimeException | Error e) {
        if (from != listener) {
          continue; // it was closed because another one has taken its place
        }
        if (e instanceof Error) {
          errors.incrementAndGet();
        }
        if (!isClosed()) {
          SafeLog.warn(
              LOG,
              "{}: cannot take a connection, trying again; raise the limit on open files (ulimit"
                  + " -n) or threads (ulimit -u) if that is the cause",
              name,
              e);
          pause();
        }
      }
    }
  }

  /** Accepts from another listener from now on, and closes the former one; connections stay. */
  public void acceptFrom(Listener other) throws IOException {
    Listener former = listener;
    listener = other;
    former.close();
    if (isClosed()) {
      other.close(); // close() may have come too early to see it
    }
  }

  private void take(MessageStream stream) throws IOException {
    try {
      Object from = host(stream);
      Thread thread =
          DaemonThreads.create(name + "-" + ++connectionNumber, STACK_BYTES, () -> handle(stream));
      connections.put(stream, thread);
      unauthenticated.enter(stream, from);
      thread.start();
    } catch (IOException | RuntimeException | Error e) { // of memory or threads, mostly
      forget(stream);
      throw e;
    }
    if (isClosed()) {
      closeQuietly(stream); // close() may have come too early to see it
    }
  }

  /**
   * The key by which peers are counted together: their host, or their user on this host, if users
   * are known by number.
   */
  private static Object host(MessageStream stream) throws IOException {
    Optional<InetAddress> address = stream.peerAddress();
    if (address.isPresent()) {
      return address.get();
    }
    return stream.credentials().map(peer -> "user " + peer.uid()).orElse("this host");
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  private void pause() {
    try {
      pause.after(closed);
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts this thread", e);
    }
  }

  private void handle(MessageStream stream) {
    try {
      handler.serve(stream, new Connected(stream));
    } catch (EOFException e) {
      LOG.debug("{}: {} went away", name, stream.peer());
    } catch (IOException | RuntimeException e) {
      if (e instanceof ProtocolException || e instanceof SocketTimeoutException) {
        dropped.increment();
      }
      if (unauthenticated.leave(stream) || isClosed()) { // strangers do not fill the log
        LOG.debug("{}: the conversation with {} ended in an error", name, stream.peer(), e);
      } else {
        LOG.warn("{}: the conversation with {} ended in an error", name, stream.peer(), e);
      }
    } catch (Error e) {
      errors.incrementAndGet();
      SafeLog.error(LOG, "The conversation with {} ended in an error", stream.peer(), e);
    } finally {
      forget(stream);
    }
  }

  private final class Connected implements Peer {
    private final MessageStream stream;

    Connected(MessageStream stream) {
      this.stream = stream;
    }

    @Override
    public boolean authenticated(Object sharer) throws EOFException {
      if (!authenticated.take(stream, sharer)) {
        refused.increment();
        return false;
      }
      if (!unauthenticated.leave(stream)) { // forget() gives its slot back
        throw new EOFException("the proof of " + stream.peer() + " came too late");
      }
      return true;
    }

    @Override
    public void unused() {
      authenticated.unused(stream);
    }

    @Override
    public boolean used() {
      return authenticated.used(stream);
    }
  }

  private void expel(MessageStream stream, String reason) {
    closeQuietly(stream); // first: the rest needs memory
    LOG.debug("{}: ended the connection of {}, which {}", name, stream.peer(), reason);
  }

  private void forget(MessageStream stream) {
    unauthenticated.leave(stream);
    closeQuietly(stream);
    authenticated.leave(stream);
    connections.remove(stream);
  }

  private void closeQuietly(MessageStream stream) {
    try {
      stream.close();
    } catch (IOException e) {
      LOG.warn("{}: closing the connection to {} failed", name, stream.peer(), e);
    }
  }

  /** How many connections each sharer has; null's are those that are not shared. */
  public Map<Object, Integer> held() {
    return authenticated.held();
  }

  /** Connections that came, by their fate. */
  public ConnectionCounters counters() {
    return new ConnectionCounters(
        authenticated.taken(),
        refused.sum(),
        unauthenticated.expelled(),
        dropped.sum(),
        errors.get());
  }

  @Override
  public void close() throws IOException {
    closed.countDown();
    try {
      listener.close();
    } finally {
      connections.keySet().forEach(this::closeQuietly);
      awaitEnd();
      deadlines.close();
    }
  }

  private void awaitEnd() {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_TIMEOUT_MS);
    List<Thread> threads = new ArrayList<>(connections.values());
    threads.add(acceptThread);
    try {
      for (Thread thread : threads) {
        thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime())));
        if (thread.isAlive()) {
          LOG.warn("{} has not ended within {} ms", thread.getName(), CLOSE_TIMEOUT_MS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
