package io.sluice.node.wire;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A stream socket on which every wait has a deadline.
 *
 * <p>Thread contract: one thread reads and writes; {@link #close} may come from another and ends
 * the wait at once. Ownership: who opened or accepted it closes it. Failure, each naming the peer:
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

  /** Fills {@code dst} or throws. */
  void readFully(ByteBuffer dst, long timeoutMs) throws IOException;

  /** Writes all of {@code src} or throws. */
  void writeFully(ByteBuffer src, long timeoutMs) throws IOException;
}
