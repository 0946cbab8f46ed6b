package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.LastWords;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections and starts a thread for each.
 *
 * <p>Thread contract: {@link #start} once, {@link #close} from any thread; the rest runs on its own
 * daemon thread. Failure: an accept that fails (out of file descriptors, mostly) is logged and
 * tried again, because giving up would cut this node off until a restart; nothing is lost by it,
 * the client sees a connect that fails.
 */
final class TcpAcceptor implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(TcpAcceptor.class);
  private static final long PAUSE_AFTER_FAILURE_MS = 100;

  /** A serving thread needs little stack, and there may be a thousand. */
  private static final long SERVER_STACK_BYTES = 256 << 10;

  private final TcpServerEndpoint endpoint;
  private final ServerSocketChannel listener;
  private final Thread thread;

  TcpAcceptor(TcpServerEndpoint endpoint, ServerSocketChannel listener) {
    this.endpoint = endpoint;
    this.listener = listener;
    this.thread = DaemonThreads.create("sluice-tcp-accept-" + endpoint.address().getPort(), this);
  }

  void start() {
    thread.start();
  }

  @Override
  public void run() {
    while (listener.isOpen()) {
      try {
        serve(listener.accept());
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException | RuntimeException | Error e) {
        LastWords.warn(
            LOG,
            "tcp: cannot take a connection on {}, trying again; raise the limit on open files"
                + " (ulimit -n) or threads (ulimit -u) if that is the cause",
            endpoint.address(),
            e);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_AFTER_FAILURE_MS));
      }
    }
  }

  private void serve(SocketChannel channel) throws IOException {
    TcpServerConnection connection;
    try {
      connection = new TcpServerConnection(endpoint, channel);
    } catch (RuntimeException | Error e) {
      channel.close(); // so that the client need not wait for its deadline
      throw e;
    }
    try {
      Sockets.configure(channel);
      Thread server =
          DaemonThreads.create("sluice-tcp-serve-" + connection, SERVER_STACK_BYTES, connection);
      endpoint.accepted(connection, channel.socket().getInetAddress());
      server.start();
    } catch (IOException | RuntimeException | Error e) {
      connection.abandon();
      throw e;
    }
  }

  void close() {
    try {
      listener.close();
      thread.join(TimeUnit.SECONDS.toMillis(10));
    } catch (IOException e) {
      LOG.warn("tcp: closing the listener on {} failed", endpoint.address(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
