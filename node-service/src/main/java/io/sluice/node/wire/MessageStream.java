package io.sluice.node.wire;

import io.sluice.rdma.memory.Descriptor;
import io.sluice.rdma.unix.UnixSocket.PeerCredentials;
import io.sluice.rdma.unix.UnixSocket.SentQueue;
import io.sluice.rdma.unix.UnixSocket.TooManyInFlightException;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * A stream socket on which every wait has a deadline.
 *
 * <p>Thread contract: one thread reads and writes; {@link #close} may come from another and ends
 * the wait at once. Ownership: its opener or acceptor closes it. Failure, each naming the peer:
 *
 * <ul>
 *   <li>{@link java.net.SocketTimeoutException} when the deadline passes,
 *   <li>{@link java.io.EOFException} when the peer is gone, or it was closed on this side,
 *   <li>{@link java.io.InterruptedIOException} when the thread is interrupted.
 * </ul>
 *
 * It is of no use after any of them.
 */
public interface MessageStream extends Closeable {
  /** Waits until the peer speaks or goes away: for a server between two requests. */
  long NO_TIMEOUT = Long.MAX_VALUE;

  /** The peer's address, for messages. */
  String peer();

  /** Where the peer comes from; empty if it is on this host, by a Unix socket. */
  Optional<InetAddress> peerAddress() throws IOException;

  /**
   * The user of the process at the other end of a Unix socket: of the one that connected, or of the
   * one that listened. The kernel says it, the peer has no say in it.
   */
  String peerUser() throws IOException;

  /** The same as numbers, where they are known. */
  default Optional<PeerCredentials> credentials() {
    return Optional.empty();
  }

  /** The queue of bytes sent and not received, if descriptors can be sent; the caller closes it. */
  default SentQueue sentQueue() throws IOException {
    throw new IOException("no file can be passed to " + peer() + " over this kind of socket");
  }

  /** Fills {@code dst} or throws. */
  void readFully(ByteBuffer dst, long timeoutMs) throws IOException;

  /** Writes all of {@code src} or throws. */
  void writeFully(ByteBuffer src, long timeoutMs) throws IOException;

  /**
   * The same as {@link #readFully}, where the peer may have passed open files with the first byte.
   * A peer that passes any where they are not expected has broken the conversation.
   *
   * @return those that it has passed; the caller closes them
   */
  default List<Descriptor> readWithDescriptors(ByteBuffer dst, long timeoutMs) throws IOException {
    readFully(dst, timeoutMs);
    return List.of();
  }

  /**
   * The same as {@link #writeFully}, with open files that ride on the first byte and stay the
   * caller's.
   *
   * @throws TooManyInFlightException if they cannot be passed now; nothing was sent, and only then
   *     the stream is still of use
   */
  default void writeFully(ByteBuffer src, List<Descriptor> descriptors, long timeoutMs)
      throws IOException {
    if (!descriptors.isEmpty()) {
      throw new IOException("no file can be passed to " + peer() + " over this kind of socket");
    }
    writeFully(src, timeoutMs);
  }
}
