package io.sluice.rdma.transport.verbs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * The socket and the native part of an established client connection.
 *
 * <p>Thread contract: that of {@link VerbsReadQueue}; {@link #end} under the connection's lock,
 * before {@link #close}, which is for the connection's thread. Ownership: the connection closes it.
 *
 * @param remoteDevice which of the server's devices the connection leads to
 */
record VerbsLink(
    SocketChannel channel,
    SocketLoop loop,
    InetSocketAddress remote,
    int remoteDevice,
    VerbsReadQueue queue) {
  VerbsPort port() {
    return queue.pair().port();
  }

  /** Watches the socket, which must not block. */
  void watch(SocketLoop.Member member) throws IOException {
    loop.add(channel, SelectionKey.OP_READ, member);
  }

  /** Tells the peer that the connection ends, and wakes the connection's thread. */
  void end() throws IOException {
    try {
      ControlSocket.shutdown(channel);
    } finally {
      queue.wake();
    }
  }

  /**
   * Destroys the queue pair first; after it returns, the NIC writes nothing. A second call after a
   * failure tries again. Needs no memory of the heap.
   */
  void close() throws IOException {
    try {
      queue.close();
    } finally {
      try {
        channel.close();
      } finally {
        loop.forgetClosed();
      }
    }
  }
}
