package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections and hands each over.
 *
 * <p>Thread contract: {@link #start} once, {@link #close} from any thread; the rest runs on its own
 * daemon thread. Failure: an accept that fails (out of file descriptors, mostly) is logged and
 * tried again, because giving up would cut this node off until a restart; nothing is lost by it,
 * the client sees a connect that fails.
 */
final class TcpAcceptor implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(TcpAcceptor.class);
  private static final long PAUSE_AFTER_FAILURE_MS = 100;

  /** Whom connections are handed over to, on the acceptor's thread. */
  @FunctionalInterface
  interface Server {
    /** Takes the channel over, or closes it and fails. */
    void serve(SocketChannel channel) throws IOException;
  }

  private final ServerSocketChannel listener;
  private final InetSocketAddress address;
  private final Server server;
  private final Thread thread;

  TcpAcceptor(ServerSocketChannel listener, InetSocketAddress address, Server server) {
    this.listener = listener;
    this.address = address;
    this.server = server;
    this.thread = DaemonThreads.create("sluice-tcp-accept-" + address.getPort(), this);
  }

  void start() {
    thread.start();
  }

  @Override
  public void run() {
    while (listener.isOpen()) {
      try {
        server.serve(listener.accept());
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException | RuntimeException | Error e) {
        SafeLog.warn(
            LOG,
            "tcp: cannot take a connection on {}, trying again; raise the limit on open files"
                + " (ulimit -n) or threads (ulimit -u) if that is the cause",
            address,
            e);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_AFTER_FAILURE_MS));
      }
    }
  }

  void close() {
    try {
      listener.close();
      thread.join(TimeUnit.SECONDS.toMillis(10));
    } catch (IOException e) {
      LOG.warn("tcp: closing the listener on {} failed", address, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
