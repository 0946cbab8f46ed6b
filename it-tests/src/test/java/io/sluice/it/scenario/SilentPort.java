package io.sluice.it.scenario;

import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/**
 * A port of this host that answers nobody, as behind a firewall that drops packets: its queue of
 * connections is full.
 */
final class SilentPort implements AutoCloseable {
  private static final int FULL_MS = 500;

  private final ServerSocket listener;
  private final List<Socket> queue = new ArrayList<>();

  SilentPort(int port) throws IOException {
    listener = new ServerSocket(port, 1);
    try {
      while (true) {
        Socket queued = new Socket();
        queue.add(queued);
        queued.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), FULL_MS);
      }
    } catch (SocketTimeoutException full) {
      // What was to be: nobody connects any more.
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  boolean isBound() {
    return listener.isBound();
  }

  @Override
  public void close() throws IOException {
    List<Closeable> all = new ArrayList<>(queue);
    all.add(listener);
    Closer.all(all);
  }
}
