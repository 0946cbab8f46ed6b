package io.sluice.node.wire;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;

/**
 * A {@link MessageStream} over a socket of the JDK, TCP or Unix.
 *
 * <p>Java's Unix sockets have no read timeout, so the channel is non-blocking and each wait is a
 * {@code select} with what is left of the deadline.
 *
 * <p>Thread contract, ownership, failure: those of {@link MessageStream}; {@link ConnectException}
 * when nobody listens, {@link ConnectTimeoutException} when nothing says whether somebody does.
 */
public final class DeadlineChannel implements MessageStream {
  private static final int MAX_PART_BYTES = 64 << 10;

  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;
  private final String peer;

  private DeadlineChannel(SocketChannel channel, String peer) throws IOException {
    this.channel = channel;
    this.peer = peer;
    channel.configureBlocking(false);
    this.selector = Selector.open();
    this.key = channel.register(selector, 0);
  }

  /** Connects to a TCP or Unix address within {@code timeoutMs}. */
  public static DeadlineChannel connect(SocketAddress address, long timeoutMs) throws IOException {
    boolean unix = address instanceof UnixDomainSocketAddress;
    SocketChannel channel =
        unix ? SocketChannel.open(StandardProtocolFamily.UNIX) : SocketChannel.open();
    DeadlineChannel result = null;
    try {
      if (!unix) {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      }
      result = new DeadlineChannel(channel, address.toString());
      result.finishConnect(address, timeoutMs);
      return result;
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, result == null ? channel : result);
      throw e;
    }
  }

  private void finishConnect(SocketAddress address, long timeoutMs) throws IOException {
    long deadlineNs = deadlineNs(timeoutMs);
    try {
      boolean connected = channel.connect(address);
      while (!connected) {
        await(SelectionKey.OP_CONNECT, deadlineNs, "connecting", timeoutMs);
        connected = channel.finishConnect();
      }
    } catch (UnresolvedAddressException e) {
      throw new UnknownHostException("the host name of " + peer + " cannot be resolved");
    } catch (InterruptedIOException | EOFException e) {
      throw e; // ours
    } catch (ClosedChannelException e) {
      throw closedHere("connecting", e);
    } catch (IOException e) {
      ConnectException failure =
          new ConnectException("cannot connect to " + peer + ": " + ErrorText.of(e));
      failure.initCause(e);
      throw failure;
    }
  }

  /** Takes over an accepted channel. */
  public static DeadlineChannel accepted(SocketChannel channel) throws IOException {
    try {
      return new DeadlineChannel(channel, String.valueOf(channel.getRemoteAddress()));
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, channel);
      throw e;
    }
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public Optional<InetAddress> peerAddress() throws IOException {
    return channel.getRemoteAddress() instanceof InetSocketAddress address
        ? Optional.of(address.getAddress())
        : Optional.empty();
  }

  @Override
  public String peerUser() throws IOException {
    return channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
  }

  @Override
  public void readFully(ByteBuffer dst, long timeoutMs) throws IOException {
    long deadlineNs = deadlineNs(timeoutMs);
    int wantedBytes = dst.remaining();
    while (dst.hasRemaining()) {
      int n;
      try {
        n = inPart(dst, channel::read);
      } catch (IOException e) {
        throw lost("reading", e);
      }
      if (n < 0) {
        throw new EOFException(
            "peer %s closed the connection after %s of %s bytes"
                .formatted(peer, wantedBytes - dst.remaining(), wantedBytes));
      }
      if (n == 0) {
        await(SelectionKey.OP_READ, deadlineNs, "reading", timeoutMs);
      }
    }
  }

  @Override
  public void writeFully(ByteBuffer src, long timeoutMs) throws IOException {
    long deadlineNs = deadlineNs(timeoutMs);
    while (src.hasRemaining()) {
      int n;
      try {
        n = inPart(src, channel::write);
      } catch (IOException e) {
        throw lost("writing", e);
      }
      if (n == 0) {
        await(SelectionKey.OP_WRITE, deadlineNs, "writing", timeoutMs);
      }
    }
  }

  /** Says that nothing more will be written: the peer reads the end of the conversation. */
  public void endWriting() throws IOException {
    channel.shutdownOutput();
  }

  private interface Transfer {
    int run(ByteBuffer bytes) throws IOException;
  }

  /**
   * Of heap memory the JDK keeps a copy outside the heap, for each thread as long as the longest.
   */
  private static int inPart(ByteBuffer bytes, Transfer transfer) throws IOException {
    if (bytes.isDirect()) {
      return transfer.run(bytes);
    }
    int limit = bytes.limit();
    bytes.limit(Math.min(limit, bytes.position() + MAX_PART_BYTES));
    try {
      return transfer.run(bytes);
    } finally {
      bytes.limit(limit);
    }
  }

  private void await(int operation, long deadlineNs, String doing, long timeoutMs)
      throws IOException {
    long leftMs = 0; // for select(): no timeout
    if (deadlineNs != Long.MAX_VALUE) {
      leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
      if (leftMs <= 0) {
        String message =
            "no progress while " + doing + " with " + peer + " within " + timeoutMs + " ms";
        throw operation == SelectionKey.OP_CONNECT
            ? new ConnectTimeoutException(message)
            : new SocketTimeoutException(message);
      }
    }
    try {
      key.interestOps(operation);
      selector.select(leftMs);
      selector.selectedKeys().clear();
    } catch (CancelledKeyException | ClosedSelectorException e) {
      throw new EOFException("the connection to " + peer + " was closed on this side");
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted while " + doing + " with " + peer);
    }
  }

  private IOException lost(String doing, IOException cause) {
    if (cause instanceof ClosedChannelException closed) {
      return closedHere(doing, closed);
    }
    IOException gone =
        new EOFException("peer " + peer + " went away while " + doing + ": " + ErrorText.of(cause));
    gone.initCause(cause);
    return gone;
  }

  private IOException closedHere(String doing, ClosedChannelException cause) {
    IOException closed =
        cause instanceof ClosedByInterruptException
            ? new InterruptedIOException("interrupted while " + doing + " with " + peer)
            : new EOFException("the connection to " + peer + " was closed on this side");
    closed.initCause(cause);
    return closed;
  }

  private static long deadlineNs(long timeoutMs) {
    return timeoutMs == NO_TIMEOUT
        ? Long.MAX_VALUE
        : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      selector.close();
    }
  }

  /**
   * A host has neither taken nor refused a connection in time: it is down, or a firewall drops what
   * is sent to it. Differs from other timeouts in that no slow process listens there.
   */
  public static final class ConnectTimeoutException extends SocketTimeoutException {
    private static final long serialVersionUID = 1L;

    ConnectTimeoutException(String message) {
      super(message);
    }
  }
}
