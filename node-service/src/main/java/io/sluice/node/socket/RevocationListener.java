package io.sluice.node.socket;

import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.spill.memory.Revocations.RevocationNotice;
import java.io.Closeable;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread of a task that receives revocations while the task is busy with its records.
 *
 * <p>Thread contract: safe from any thread; the consumer is called on the listener's. Ownership:
 * its starter closes it, and with it the connection. Failure: when the connection ends, or the
 * consumer fails, it logs that once, unless it was closed, and receives nothing more.
 */
public final class RevocationListener implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(RevocationListener.class);
  private static final long END_MS = 10_000;

  private final RevocationConnection connection;
  private final Consumer<RevocationNotice> heard;
  private final Runnable lost;
  private final Thread thread;
  private volatile boolean closed;
  private volatile boolean ended;

  private RevocationListener(
      RevocationConnection connection,
      Consumer<RevocationNotice> heard,
      Runnable lost,
      Function<Runnable, Thread> threads) {
    this.connection = connection;
    this.heard = heard;
    this.lost = lost;
    this.thread = threads.apply(this::listen);
  }

  /**
   * Starts to listen on a connection, which is its own from now on.
   *
   * @param heard is told of each notice, and perhaps of one more than once
   * @param lost is told when nothing more will be heard
   * @throws IOException if there is no thread for it; the connection is closed then
   */
  public static RevocationListener start(
      RevocationConnection connection, Consumer<RevocationNotice> heard, Runnable lost)
      throws IOException {
    return start(connection, heard, lost, body -> DaemonThreads.create("sluice-notices", body));
  }

  /** The same on the given thread. */
  static RevocationListener start(
      RevocationConnection connection,
      Consumer<RevocationNotice> heard,
      Runnable lost,
      Function<Runnable, Thread> threads)
      throws IOException {
    try {
      RevocationListener listener = new RevocationListener(connection, heard, lost, threads);
      listener.thread.start();
      return listener;
    } catch (OutOfMemoryError e) { // of threads, as the JVM calls it
      connection.close();
      throw new IOException("there is no thread to listen on", e);
    }
  }

  private void listen() {
    try {
      while (!closed) {
        heard.accept(connection.await());
      }
    } catch (IOException e) {
      if (!closed) {
        LOG.info("The node's service sends no more revocations: {}", e.toString());
      }
    } finally {
      end(); // also if the consumer has failed
    }
  }

  private void end() {
    try {
      if (!closed) {
        lost.run();
      }
    } finally {
      ended = true;
    }
  }

  /** Whether it hears nothing more. */
  public boolean hasEnded() {
    return ended;
  }

  @Override
  public void close() throws IOException {
    closed = true;
    connection.close();
    DaemonThreads.awaitEnd(thread, END_MS);
  }
}
