package io.sluice.rdma.transport.tcp;

import static io.sluice.rdma.transport.tcp.TcpProtocol.*;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.transport.RemoteAccessException;
import io.sluice.rdma.transport.support.PendingRead;
import io.sluice.rdma.transport.support.TransportMeter;
import io.sluice.rdma.transport.support.Uninterruptibly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client's end of a TCP connection: responses in, straight from the socket into the
 * destination.
 *
 * <p>Thread contract: runs on one daemon thread, which alone writes destinations, completes reads
 * and closes the socket. Failure: what ends the {@link TcpLink} fails every read that is not done.
 */
final class TcpResponseReader implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(TcpResponseReader.class);
  private static final long END_LIMIT_MS = 10_000;

  private final TcpLink link;
  private final TcpRequests requests;
  private final TransportMeter meter;
  private final Runnable whenEnded;
  private final ByteBuffer header = OffHeap.allocate(RESPONSE_HEADER_BYTES);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;

  /** {@code whenEnded} runs when every read is done and the socket closed. */
  TcpResponseReader(TcpLink link, TcpRequests requests, TransportMeter meter, Runnable whenEnded) {
    this.link = link;
    this.requests = requests;
    this.meter = meter;
    this.whenEnded = whenEnded;
    this.thread = DaemonThreads.create("sluice-tcp-read-" + link.remote(), this);
  }

  void start() {
    try {
      thread.start();
    } catch (Error e) { // of memory or threads
      link.giveUp("its thread could not be started", e);
      finish();
      throw e;
    }
  }

  @Override
  public void run() {
    try {
      while (link.isRunning()) {
        takeResponse();
      }
    } catch (IOException e) {
      link.giveUp(ErrorText.of(e), e);
    } catch (RuntimeException | Error e) {
      link.giveUp("unexpected " + e, e);
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
    PendingRead read = requests.find(requestId);
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
        requests.answered(requestId);
        read.succeed();
      }
      case STATUS_REFUSED -> {
        String message = readMessage(lengthBytes);
        requests.answered(requestId);
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
      int n = link.read(into);
      if (n < 0 || !link.isRunning()) {
        throw new IOException(
            "stream ended in "
                + what
                + " after "
                + (expectedBytes - into.remaining())
                + " of "
                + expectedBytes
                + " bytes");
      }
      if (n == 0 && link.await()) {
        requests.writable();
      }
    }
  }

  private void finish() {
    List<PendingRead> unfinished = requests.end();
    meter.connectionClosed();
    try {
      link.close();
    } catch (IOException e) {
      LOG.warn("{}: closing the socket failed", link, e);
    }
    OffHeap.free(header);
    for (PendingRead read : unfinished) {
      if (link.gaveUpFor(read)) {
        read.failLate();
      } else {
        link.failAsLost(read);
      }
    }
    whenEnded.run();
    ended.countDown();
  }

  /** Returns when every read is done; at once if a callback of a read is what is calling. */
  void awaitEnd() {
    if (Thread.currentThread() == thread) {
      return;
    }
    if (!Uninterruptibly.await(ended, END_LIMIT_MS)) {
      throw new IllegalStateException(
          link
              + " did not end within "
              + END_LIMIT_MS
              + " ms of being shut down; a callback of one of its reads must be blocking");
    }
  }
}
