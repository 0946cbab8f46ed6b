package io.sluice.rdma.transport.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;

/**
 * Operations on blocking socket channels that both sides use.
 *
 * <p>Only the thread that reads and writes a socket closes it. Other threads shut it down, which
 * wakes that thread. If another thread closed it, a new connection could get the descriptor's
 * number while a {@code sendfile} to the old one is about to start: its bytes would reach the wrong
 * connection.
 */
final class Sockets {
  private Sockets() {}

  static void configure(SocketChannel channel) throws IOException {
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
  }

  /** Fills the rest of the buffer; {@code what} names it in the error if the stream ends before. */
  static void readFully(SocketChannel channel, ByteBuffer into, String what) throws IOException {
    int expectedBytes = into.remaining();
    while (into.hasRemaining()) {
      if (channel.read(into) < 0) {
        throw new EOFException(
            "stream ended in "
                + what
                + " after "
                + (expectedBytes - into.remaining())
                + " of "
                + expectedBytes
                + " bytes");
      }
    }
  }

  static void writeFully(SocketChannel channel, ByteBuffer from) throws IOException {
    while (from.hasRemaining()) {
      channel.write(from);
    }
  }

  /** Shuts both directions down and wakes the socket's thread; idempotent, from any thread. */
  static void shutdown(SocketChannel channel) {
    try {
      channel.shutdownInput();
      channel.shutdownOutput();
    } catch (ClosedChannelException e) {
      // The socket's thread was faster.
    } catch (IOException e) {
      // ENOTCONN: the peer's reset was faster, and has woken the socket's thread.
    }
  }
}
