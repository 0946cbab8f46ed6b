package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.transport.ConnectionLostException;
import io.sluice.rdma.transport.support.PendingRead;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The socket of a client's connection, and whether and why it ends.
 *
 * <p>The channel does not block, because an interrupt closes one that does, for every task that
 * reads from that server.
 *
 * <p>Thread contract: the thread of {@link TcpResponseReader} alone reads, waits and closes; writes
 * are under the lock of {@link TcpRequests}; any thread makes it end with {@link #giveUp}. Failure:
 * the first cause ends the connection, and is what every read that is not done fails with.
 */
final class TcpLink {
  /** Why the connection ends; {@code late} is the read whose deadline did it, if one did. */
  private record End(String reason, Throwable cause, PendingRead late) {}

  private final SocketChannel channel;
  private final InetSocketAddress remote;
  private final Selector selector;
  private final SelectionKey key;
  private final AtomicReference<End> end = new AtomicReference<>();

  private TcpLink(
      SocketChannel channel, InetSocketAddress remote, Selector selector, SelectionKey key) {
    this.channel = channel;
    this.remote = remote;
    this.selector = selector;
    this.key = key;
  }

  /** Takes the channel over, which must not block; if that fails, it is still the caller's. */
  static TcpLink open(SocketChannel channel, InetSocketAddress remote) throws IOException {
    Selector selector = Selector.open();
    try {
      SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
      return new TcpLink(channel, remote, selector, key);
    } catch (IOException | RuntimeException | Error e) { // of memory, mostly
      selector.close();
      throw e;
    }
  }

  InetSocketAddress remote() {
    return remote;
  }

  /** Writes what the socket takes now, perhaps nothing. */
  int write(ByteBuffer from) throws IOException {
    return channel.write(from);
  }

  /** Lets {@link #await} return when the socket takes bytes again; from any thread. */
  void sendWhenWritable() {
    key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    selector.wakeup();
  }

  /** Reads what has arrived, perhaps nothing; negative at the end of the stream. */
  int read(ByteBuffer into) throws IOException {
    return channel.read(into);
  }

  /**
   * Waits for bytes, for room that somebody asked for, or for the end.
   *
   * @return whether the socket takes bytes again, which nobody waits for any more
   */
  boolean await() throws IOException {
    selector.select();
    selector.selectedKeys().clear();
    if (!key.isWritable()) {
      return false;
    }
    key.interestOps(SelectionKey.OP_READ);
    return true;
  }

  /** A read is late: ends the connection, so that nothing is written to its destination later. */
  void giveUpFor(PendingRead late) {
    if (!late.isCompleted()) {
      giveUp(new End("given up for a late " + late, null, late));
    }
  }

  /** Ends the connection, unless something else has; from any thread. */
  void giveUp(String reason, Throwable cause) {
    giveUp(new End(reason, cause, null));
  }

  private void giveUp(End why) {
    if (end.compareAndSet(null, why)) {
      Sockets.shutdown(channel);
      selector.wakeup();
    }
  }

  boolean isRunning() {
    return end.get() == null;
  }

  /** Whether the connection has ended for this read's deadline. */
  boolean gaveUpFor(PendingRead read) {
    return end.get().late() == read;
  }

  /** Fails a read because the connection has ended. */
  void failAsLost(PendingRead read) {
    End why = end.get();
    read.fail(
        new ConnectionLostException(
            read + " failed: connection lost: " + why.reason(), why.cause()));
  }

  void close() throws IOException {
    try (selector) { // last: the socket is really closed when it has left its selector
      channel.close();
    }
  }

  /** Undoes {@link #open}: the channel is the caller's again. */
  void abandon() throws IOException {
    selector.close();
  }

  @Override
  public String toString() {
    return "tcp connection to " + remote;
  }
}
