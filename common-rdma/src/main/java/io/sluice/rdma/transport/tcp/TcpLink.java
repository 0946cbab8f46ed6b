package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.support.PendingRead;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The socket of a client's connection, and whether and why it ends.
 *
 * <p>The channel does not block, because an interrupt closes one that does, for every task that
 * reads from that server.
 *
 * <p>Thread contract: it is read and closed in the turns of {@link TcpResponseReader} alone; writes
 * are under the lock of {@link TcpRequests}; any thread makes it end with {@link #giveUp}. Failure:
 * the first cause ends the connection, and is what every read that is not done fails with.
 */
final class TcpLink {
  /** Why the connection ends; {@code late} is the read whose deadline did it, if one did. */
  private record End(String reason, Throwable cause, PendingRead late) {}

  private final SocketChannel channel;
  private final InetSocketAddress remote;
  private final TcpReadLoop loop;
  private final AtomicReference<End> end = new AtomicReference<>();
  private volatile SelectionKey key; // null before there are turns

  /** Takes the channel over, which must not block. */
  TcpLink(SocketChannel channel, InetSocketAddress remote, TcpReadLoop loop) {
    this.channel = channel;
    this.remote = remote;
    this.loop = loop;
  }

  InetSocketAddress remote() {
    return remote;
  }

  /** Begins to give turns. */
  void start(TcpReadLoop.Member member) throws IOException {
    key = loop.register(channel, member);
    loop.listen(key);
  }

  /** Writes what the socket takes now, perhaps nothing. */
  int write(ByteBuffer from) throws IOException {
    return channel.write(from);
  }

  /** Asks for a turn when the socket takes bytes again; from any thread. */
  void sendWhenWritable() {
    loop.awaitRoom(key);
  }

  /** Whether the socket takes bytes again, which nobody waits for any more. */
  boolean takesBytesAgain() {
    if (!key.isValid() || !key.isWritable()) {
      return false;
    }
    key.interestOpsAnd(~SelectionKey.OP_WRITE);
    return true;
  }

  /** Reads what has arrived, perhaps nothing; negative at the end of the stream. */
  int read(ByteBuffer into) throws IOException {
    return channel.read(into);
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
      SelectionKey started = key;
      if (started != null) {
        loop.wantTurn(started);
      }
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

  /** Whether its end need not be waited for; see {@link TcpReadLoop#turnNow}. */
  boolean endsNow() {
    SelectionKey started = key;
    return started != null && loop.turnNow(started);
  }

  void close() throws IOException {
    channel.close();
    loop.forgetClosed();
  }

  @Override
  public String toString() {
    return "tcp connection to " + remote;
  }
}
