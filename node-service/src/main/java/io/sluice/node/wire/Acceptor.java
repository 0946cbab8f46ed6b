package io.sluice.node.wire;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections and gives each a thread of its own.
 *
 * <p>Thread contract: handlers run side by side. Ownership: {@link #close} ends the listener and
 * every connection, and waits a while for the handlers. Failure: what a handler throws ends its
 * connection and is logged; more than {@link #MAX_CONNECTIONS} at once are turned away, so that no
 * peer can exhaust the threads of the process; an accept that fails is tried again, after a pause,
 * because giving up would cut this node off until a restart.
 */
public final class Acceptor implements AutoCloseable {
  /** Connections served at the same time. */
  public static final int MAX_CONNECTIONS = 1024;

  private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);
  private static final long STACK_BYTES = 256 << 10;

  private static final long PAUSE_AFTER_FAILURE_MS = 100;
  private static final long CLOSE_TIMEOUT_MS = 5_000;

  private final String name;
  private final ServerSocketChannel listener;
  private final Handler handler;
  private final Map<DeadlineChannel, Thread> connections = new ConcurrentHashMap<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread acceptThread;
  private int connectionNumber;

  /** Serves one connection until it ends; the acceptor closes the channel after it. */
  @FunctionalInterface
  public interface Handler {
    /** Returns, or throws, when the conversation is over. */
    void serve(DeadlineChannel channel) throws IOException;
  }

  /** Starts accepting from a bound listener, which it closes in the end. */
  public Acceptor(String name, ServerSocketChannel listener, Handler handler) {
    this.name = name;
    this.listener = listener;
    this.handler = handler;
    this.acceptThread = newThread(name + "-accept", this::acceptLoop);
    acceptThread.start();
  }

  private static Thread newThread(String name, Runnable body) {
    Thread thread = new Thread(null, body, name, STACK_BYTES);
    thread.setDaemon(true);
    return thread;
  }

  private void acceptLoop() {
    while (!isClosed()) {
      try {
        take(listener.accept());
      } catch (IOException | OutOfMemoryError e) {
        if (!isClosed()) {
          LOG.warn(
              "{}: cannot take a connection, trying again; raise the limit on open files (ulimit"
                  + " -n) or threads (ulimit -u) if that is the cause",
              name,
              e);
          pause();
        }
      }
    }
  }

  private void take(SocketChannel accepted) throws IOException {
    if (connections.size() >= MAX_CONNECTIONS) {
      LOG.warn("{}: {} connections are open, turning a further one away", name, MAX_CONNECTIONS);
      accepted.close();
      return;
    }
    DeadlineChannel channel = DeadlineChannel.accepted(accepted);
    Thread thread = newThread(name + "-" + ++connectionNumber, () -> handle(channel));
    connections.put(channel, thread);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      connections.remove(channel);
      closeQuietly(channel);
      throw e;
    }
    if (isClosed()) {
      closeQuietly(channel); // close() may have come too early to see it
    }
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  private void pause() {
    try {
      closed.await(PAUSE_AFTER_FAILURE_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts this thread", e);
    }
  }

  private void handle(DeadlineChannel channel) {
    try {
      handler.serve(channel);
    } catch (EOFException e) {
      LOG.debug("{}: {} went away", name, channel.peer());
    } catch (IOException | RuntimeException e) {
      if (!isClosed()) {
        LOG.warn("{}: the conversation with {} ended in an error", name, channel.peer(), e);
      }
    } finally {
      connections.remove(channel);
      closeQuietly(channel);
    }
  }

  private void closeQuietly(DeadlineChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.warn("{}: closing the connection to {} failed", name, channel.peer(), e);
    }
  }

  @Override
  public void close() throws IOException {
    closed.countDown();
    try {
      listener.close();
    } finally {
      connections.keySet().forEach(this::closeQuietly);
      awaitEnd();
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
