package io.sluice.rdma.testing;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A port that refuses connections. It is bound, so that no other process is given it meanwhile, and
 * nobody listens on it.
 */
public final class ClosedPort implements Closeable {
  private final Socket socket = new Socket();

  /** One of that address. */
  public ClosedPort(InetAddress address) throws IOException {
    socket.bind(new InetSocketAddress(address, 0));
  }

  /** Where nobody listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) socket.getLocalSocketAddress();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
