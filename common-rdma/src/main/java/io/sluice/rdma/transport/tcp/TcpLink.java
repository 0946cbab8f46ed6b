package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.support.PendingRead;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket of a client's connection, and the state and cause of its end.
 *
 * <p>The channel is non-blocking, because an interrupt closes a blocking one, for all tasks that
 * read from that server.
 *
 * <p>Thread contract: only the turns of {@link TcpResponseReader} read and close it; writes are
 * under the lock of {@link TcpRequests}; any thread may end it with {@link #giveUp}. Failure: the
 * first cause ends the connection, and all outstanding reads fail with it.
 */
final class TcpLink {
  /** Why the connection ends; {@code late} is the read that missed its deadline, if any. */
  private record End(String reason, Throwable cause, PendingRead late) {}

  private static final Logger LOG = LoggerFactory.getLogger(TcpLink.class);
  private static final End UNSAID = new End("there is no memory to say why", null, null);

  private final SocketChannel channel;
  private final InetSocketAddress remote;
  private final TcpReadLoop loop;
  private final AtomicReference<End> end = new AtomicReference<>();
  private volatile SelectionKey key; // null before start

  /** Takes over the channel, which must be non-blocking. */
  TcpLink(SocketChannel channel, InetSocketAddress remote, TcpReadLoop loop) {
    this.channel = channel;
    this.remote = remote;
    this.loop = loop;
  }

  InetSocketAddress remote() {
    return remote;
  }

  /** Registers with a read loop, which gives the member turns. */
  void start(TcpReadLoop.Member member) throws IOException {
    key = loop.register(channel, member);
    loop.listen(key);
  }

  /** Writes as much as the socket takes now, perhaps nothing. */
  int write(ByteBuffer from) throws IOException {
    return channel.write(from);
  }

  /** Requests a turn for when the socket takes bytes again; from any thread. */
  void sendWhenWritable() {
    loop.awaitRoom(key);
  }

  /** Whether the socket takes bytes again; ends the request for that turn. */
  boolean takesBytesAgain() {
    if (!key.isValid() || !key.isWritable()) {
      return false;
    }
    key.interestOpsAnd(~SelectionKey.OP_WRITE);
    return true;
  }

  /** Reads the bytes that have arrived, perhaps none; negative at the end of the stream. */
  int read(ByteBuffer into) throws IOException {
    return channel.read(into);
  }

  /** Ends the connection because a read is late, so that its destination is not written later. */
  void giveUpFor(PendingRead late) {
    if (!late.isCompleted()) {
      giveUp(ErrorText.ofEnd("closed after the deadline of a read", late), null, late);
    }
  }

  /** Ends the connection if it has not ended yet; from any thread. */
  void giveUp(String reason, Throwable cause) {
    giveUp(reason, cause, null);
  }

  /** Does not fail for want of memory, because the reads end with the connection. */
  private void giveUp(String reason, Throwable cause, PendingRead late) {
    End why = UNSAID;
    try {
      why = new End(reason, cause, late);
    } catch (OutOfMemoryError e) {
      // It ends all the same.
    }
    if (end.compareAndSet(null, why)) {
      try {
        Sockets.shutdown(channel); // which gives it a turn, too
        SelectionKey started = key;
        if (started != null) {
          loop.wantTurn(started);
        }
      } catch (RuntimeException | Error e) {
        SafeLog.warn(LOG, "{}: its thread was not woken", this, e);
      }
    }
  }

  boolean isRunning() {
    return end.get() == null;
  }

  /** Whether this read's deadline ended the connection. */
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

  /** Whether a caller need not wait for its end; see {@link TcpReadLoop#turnNow}. */
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
