package io.sluice.node.wire;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections and gives each a thread of its own.
 *
 * <p>Thread contract: handlers run side by side. Ownership: {@link #close} ends the listener and
 * every connection. Failure: what a handler throws ends its connection and is logged; more than
 * {@link #MAX_CONNECTIONS} at once are turned away, so that no peer can exhaust the threads of the
 * process.
 */
public final class Acceptor implements AutoCloseable {
  /** Connections served at the same time. */
  public static final int MAX_CONNECTIONS = 1024;

  private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);
  private static final long STACK_BYTES = 256 << 10;

  private final String name;
  private final ServerSocketChannel listener;
  private final Handler handler;
  private final Set<DeadlineChannel> connections = ConcurrentHashMap.newKeySet();
  private final AtomicInteger connectionNumber = new AtomicInteger();
  private volatile boolean closed;

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
    startThread(name + "-accept", this::acceptLoop);
  }

  private static void startThread(String name, Runnable body) {
    Thread thread = new Thread(null, body, name, STACK_BYTES);
    thread.setDaemon(true);
    thread.start();
  }

  private void acceptLoop() {
    while (!closed) {
      try {
        SocketChannel accepted = listener.accept();
        if (connections.size() >= MAX_CONNECTIONS) {
          LOG.warn(
              "{}: {} connections are open, turning a further one away", name, MAX_CONNECTIONS);
          accepted.close();
          continue;
        }
        DeadlineChannel channel = DeadlineChannel.accepted(accepted);
        connections.add(channel);
        startThread(name + "-" + connectionNumber.incrementAndGet(), () -> handle(channel));
      } catch (AsynchronousCloseException e) {
        return;
      } catch (IOException e) {
        if (!closed) {
          LOG.warn("{}: a connection could not be accepted", name, e);
        }
      }
    }
  }

  private void handle(DeadlineChannel channel) {
    try {
      handler.serve(channel);
    } catch (EOFException e) {
      LOG.debug("{}: {} went away", name, channel.peer());
    } catch (IOException | RuntimeException e) {
      if (!closed) {
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
    closed = true;
    listener.close();
    connections.forEach(this::closeQuietly);
  }
}
