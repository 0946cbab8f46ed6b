package io.sluice.node.socket;

import io.sluice.node.socket.ClientSession.ServiceLink;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.Replies;
import io.sluice.node.wire.Versions;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.spill.memory.Revocations.RevocationNotice;
import java.io.Closeable;
import java.io.DataInputStream;
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

  /**
   * A task's second connection to the service of its node, over which the service tells it to give
   * memory back. No lease depends on it; all depend on the first one ({@link SocketClient}).
   *
   * <p>Thread contract: one thread; {@link #close} from any other ends its wait. Ownership: the
   * task closes it. Failure: {@link IOException} when the service is gone, does not answer in time,
   * or has closed the lease; there is no second try.
   */
  public static final class RevocationConnection implements Closeable {
    private final MessageStream stream;
    private final Frames frames;
    private final long timeoutMs;
    private RevocationNotice last = RevocationNotice.NONE;

    private RevocationConnection(MessageStream stream, long timeoutMs) {
      this.stream = stream;
      this.frames = new Frames(stream);
      this.timeoutMs = timeoutMs;
    }

    /** Listens for the lease of that generation. */
    static RevocationConnection open(
        ServiceLink link,
        Versions versions,
        String applicationId,
        JobSecret secret,
        long generation,
        long timeoutMs)
        throws IOException {
      RevocationConnection connection =
          new RevocationConnection(link.connect(timeoutMs), timeoutMs);
      try {
        DataInputStream in =
            connection.exchange(
                SocketProtocol.LISTEN,
                out -> {
                  versions.write(out);
                  Bounded.writeString(out, applicationId);
                  Bounded.writeBytes(out, secret.bytes());
                  out.writeLong(generation);
                });
        versions.readChosen(in, SocketProtocol.SERVICE, SocketProtocol.TASK);
        return connection;
      } catch (IOException | RuntimeException | Error e) {
        connection.close();
        throw e;
      }
    }

    /** The next notice, or the last one again when there was none for a while. */
    public RevocationNotice await() throws IOException {
      int waitMs = (int) Math.min(timeoutMs / 2, SocketProtocol.MAX_AWAIT_MS);
      last =
          SocketProtocol.readNotice(
              exchange(
                  SocketProtocol.AWAIT,
                  out -> {
                    out.writeLong(last.epoch());
                    out.writeInt(waitMs);
                  }));
      return last;
    }

    private DataInputStream exchange(int type, Frames.Payload payload) throws IOException {
      frames.send(type, payload, timeoutMs);
      return Replies.receive(frames, timeoutMs);
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }
}
