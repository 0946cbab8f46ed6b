package io.sluice.node.wire;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Two ends of a connection: ours under test, and the peer's, bare. */
record ChannelPair(MessageStream ours, SocketChannel peer) implements Closeable {
  static final long TIMEOUT_MS = 120_000;

  static ServerSocketChannel tcpListener(int backlog) throws IOException {
    return ServerSocketChannel.open()
        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), backlog);
  }

  static ServerSocketChannel unixListener(Path directory, int backlog) throws IOException {
    return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(directory.resolve("s")), backlog);
  }

  /** Connects in the way under test. */
  @FunctionalInterface
  interface Connector {
    MessageStream connect(SocketAddress address, long timeoutMs) throws IOException;
  }

  /** Connects to a listener with nobody else in its queue, and closes the listener. */
  static ChannelPair connect(ServerSocketChannel listener, Connector connector) throws IOException {
    SocketAddress address = listener.getLocalAddress();
    try (listener) {
      MessageStream ours = connector.connect(address, TIMEOUT_MS);
      return new ChannelPair(ours, listener.accept());
    }
  }

  /** The same over the JDK's sockets. */
  static ChannelPair connect(ServerSocketChannel listener) throws IOException {
    return connect(listener, DeadlineChannel::connect);
  }

  @Override
  public void close() throws IOException {
    try (peer) {
      ours.close();
    }
  }
}
