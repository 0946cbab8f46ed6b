package io.sluice.rdma.transport.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;

/**
 * What both sides do with blocking socket channels.
 *
 * <p>The rule that keeps bytes out of the wrong connection: a socket is closed only by the thread
 * that reads and writes it. Everyone else shuts it down, which wakes that thread. A close from
 * outside could give the descriptor's number to a new connection while a {@code sendfile} to the
 * old one is about to start.
 */
final class Sockets {
  private Sockets() {}

  static void configure(SocketChannel channel) throws IOException {
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
  }

  /** Fills the rest of the buffer; {@code what} names it should the stream end before. */
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

  /** Ends both directions and wakes the owner; callable from any thread, any number of times. */
  static void shutdown(SocketChannel channel) {
    try {
      channel.shutdownInput();
      channel.shutdownOutput();
    } catch (ClosedChannelException e) {
      // The owner was faster.
    } catch (IOException e) {
      // ENOTCONN: the peer's reset was faster, and has woken the owner.
    }
  }
}
