package io.sluice.rdma.transport.tcp;

import static io.sluice.rdma.transport.tcp.TcpProtocol.*;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.transport.ConnectionLostException;
import io.sluice.rdma.transport.RemoteAccessException;
import io.sluice.rdma.transport.support.PendingRead;
import io.sluice.rdma.transport.support.Uninterruptibly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client's end of a TCP connection: responses in, straight from the socket into the
 * destination.
 *
 * <p>Thread contract: runs on one daemon thread, which alone writes destinations, completes reads
 * and closes the socket. Others make it end with {@link #giveUp}. Failure: the first cause ends the
 * connection and fails every read that is not done.
 */
final class TcpResponseReader implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(TcpResponseReader.class);
  private static final long END_LIMIT_MS = 10_000;

  /** Why the connection ends; {@code late} is the read whose deadline did it, if one did. */
  private record End(String reason, Throwable cause, PendingRead late) {}

  private final TcpConnection connection;
  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;
  private final ByteBuffer header = OffHeap.allocate(RESPONSE_HEADER_BYTES);
  private final AtomicReference<End> end = new AtomicReference<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;

  private TcpResponseReader(
      TcpConnection connection, SocketChannel channel, Selector selector, SelectionKey key) {
    this.connection = connection;
    this.channel = channel;
    this.selector = selector;
    this.key = key;
    this.thread = DaemonThreads.create("sluice-tcp-read-" + connection.remote(), this);
  }

  /** Takes the channel over; if that fails, it is still the caller's. */
  static TcpResponseReader open(TcpConnection connection, SocketChannel channel)
      throws IOException {
    Selector selector = Selector.open();
    try {
      SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
      return new TcpResponseReader(connection, channel, selector, key);
    } catch (IOException | RuntimeException | Error e) { // of memory, mostly
      selector.close();
      throw e;
    }
  }

  void start() {
    try {
      thread.start();
    } catch (Error e) { // of memory or threads
      giveUp("its thread could not be started", e);
      finish();
      throw e;
    }
  }

  /** Calls {@link TcpConnection#writable} when the socket takes bytes again; from any thread. */
  void sendWhenWritable() {
    key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    selector.wakeup();
  }

  @Override
  public void run() {
    try {
      while (isRunning()) {
        takeResponse();
      }
    } catch (IOException e) {
      giveUp(e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      giveUp("unexpected " + e, e);
      throw e;
    } finally {
      finish();
    }
  }

  private void takeResponse() throws IOException {
    read(header.clear(), "the header of a response");
    long requestId = header.getLong(RESPONSE_ID_OFFSET);
    int status = header.getInt(RESPONSE_STATUS_OFFSET);
    int lengthBytes = header.getInt(RESPONSE_LENGTH_OFFSET);
    PendingRead read = connection.find(requestId);
    if (read == null) {
      throw new IOException("server answered request " + requestId + ", which was not asked");
    }
    switch (status) {
      case STATUS_OK -> {
        if (lengthBytes != read.lengthBytes()) {
          throw new IOException(
              "server sends " + lengthBytes + " bytes, expected " + read.lengthBytes());
        }
        read(read.landing(), "the data of a response");
        connection.answered(requestId);
        read.succeed();
      }
      case STATUS_REFUSED -> {
        String message = readMessage(lengthBytes);
        connection.answered(requestId);
        read.fail(new RemoteAccessException(read + " was refused: " + message));
      }
      default -> throw new IOException("server answered with unknown status " + status);
    }
  }

  private String readMessage(int lengthBytes) throws IOException {
    if (lengthBytes < 0 || lengthBytes > MAX_MESSAGE_BYTES) {
      throw new IOException(
          "server sends a message of " + lengthBytes + " bytes, the limit is " + MAX_MESSAGE_BYTES);
    }
    ByteBuffer text = ByteBuffer.allocate(lengthBytes);
    read(text, "the message of a response");
    return StandardCharsets.UTF_8.decode(text.flip()).toString();
  }

  /** Fills the rest of the buffer, but stops at the next piece once the connection is given up. */
  private void read(ByteBuffer into, String what) throws IOException {
    int expectedBytes = into.remaining();
    while (into.hasRemaining()) {
      int n = channel.read(into);
      if (n < 0 || !isRunning()) {
        throw new IOException(
            "stream ended in "
                + what
                + " after "
                + (expectedBytes - into.remaining())
                + " of "
                + expectedBytes
                + " bytes");
      }
      if (n == 0) {
        await();
      }
    }
  }

  private void await() throws IOException {
    selector.select();
    selector.selectedKeys().clear();
    if (key.isWritable()) {
      key.interestOps(SelectionKey.OP_READ);
      connection.writable();
    }
  }

  /** A read is late: ends the connection, so that nothing is written to its destination later. */
  void giveUpFor(PendingRead late) {
    if (!late.isCompleted()) {
      giveUp(new End("given up for a late " + late, null, late));
    }
  }

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

  private void finish() {
    List<PendingRead> unfinished = connection.end();
    try (selector) { // last: the socket is really closed when it has left its selector
      channel.close();
    } catch (IOException e) {
      LOG.warn("{}: closing the socket failed", connection, e);
    }
    OffHeap.free(header);
    PendingRead late = end.get().late();
    for (PendingRead read : unfinished) {
      if (read == late) {
        read.failLate();
      } else {
        failAsLost(read);
      }
    }
    connection.ended();
    ended.countDown();
  }

  /** Fails a read because the connection has ended. */
  void failAsLost(PendingRead read) {
    End why = end.get();
    read.fail(
        new ConnectionLostException(
            read + " failed: connection lost: " + why.reason(), why.cause()));
  }

  /** Returns when every read is done; at once if a callback of a read is what is calling. */
  void awaitEnd() {
    if (Thread.currentThread() == thread) {
      return;
    }
    if (!Uninterruptibly.await(ended, END_LIMIT_MS)) {
      throw new IllegalStateException(
          connection
              + " did not end within "
              + END_LIMIT_MS
              + " ms of being shut down; a callback of one of its reads must be blocking");
    }
  }
}
