package io.sluice.rdma.transport.verbs;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;

/**
 * Operations on the control socket of a connection that both sides use.
 *
 * <p>Thread contract: stateless.
 */
final class ControlSocket {
  // The socket is silent while reads go on. A peer that vanished is noticed within a minute.
  private static final int KEEP_IDLE_SECONDS = 30;
  private static final int KEEP_INTERVAL_SECONDS = 10;
  private static final int KEEP_COUNT = 3;

  private ControlSocket() {}

  static void configure(SocketChannel channel) throws IOException {
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_IDLE_SECONDS);
    channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_INTERVAL_SECONDS);
    channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_COUNT);
  }

  /** Receives one message through a blocking socket. */
  static ByteBuffer receive(SocketChannel channel, int lengthBytes, String what)
      throws IOException {
    ByteBuffer message = ByteBuffer.allocate(lengthBytes);
    while (message.hasRemaining()) {
      if (channel.read(message) < 0) {
        throw new EOFException("the server closed the connection instead of sending " + what);
      }
    }
    return message.flip();
  }

  /** Sends one message through a blocking socket. */
  static void send(SocketChannel channel, ByteBuffer message) throws IOException {
    message.flip();
    while (message.hasRemaining()) {
      channel.write(message);
    }
  }

  /** Shuts both directions down, which its loop sees; idempotent, from any thread. */
  static void shutdown(SocketChannel channel) {
    try {
      channel.shutdownInput();
      channel.shutdownOutput();
    } catch (IOException e) {
      // It is closed already, or the peer's reset was faster, which the loop sees as well.
    }
  }
}
