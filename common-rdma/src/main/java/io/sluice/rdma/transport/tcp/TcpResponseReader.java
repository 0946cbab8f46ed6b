package io.sluice.rdma.transport.tcp;

import static io.sluice.rdma.transport.tcp.TcpProtocol.*;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
import io.sluice.rdma.transport.support.PendingRead;
import io.sluice.rdma.transport.support.TransportMeter;
import io.sluice.rdma.transport.support.Uninterruptibly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the responses of a TCP connection, from the socket directly into the destinations.
 *
 * <p>Thread contract: it runs in the turns of a {@link TcpReadLoop}. Only these turns write
 * destinations, complete reads and close the socket. Failure: the end of the {@link TcpLink} fails
 * all outstanding reads.
 */
final class TcpResponseReader implements TcpReadLoop.Member {
  private static final Logger LOG = LoggerFactory.getLogger(TcpResponseReader.class);
  private static final long END_LIMIT_MS = 10_000;
  private static final long PAUSE_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The bytes after which a turn ends, for the other connections. */
  private static final int TURN_BYTES = 1 << 20;

  private final TcpLink link;
  private final TcpRequests requests;
  private final TransportMeter meter;
  private final Runnable whenEnded;
  private final ByteBuffer header = OffHeap.allocate(RESPONSE_HEADER_BYTES);
  private final AtomicBoolean finishing = new AtomicBoolean();
  private final Consumer<PendingRead> ending = this::end; // made while there is memory
  private final CountDownLatch ended = new CountDownLatch(1);
  private ByteBuffer into = header; // receives the next bytes
  private PendingRead read; // the read that the response answers; null while the header arrives

  /** {@code whenEnded} runs when all reads are done and the socket is closed. */
  TcpResponseReader(TcpLink link, TcpRequests requests, TransportMeter meter, Runnable whenEnded) {
    this.link = link;
    this.requests = requests;
    this.meter = meter;
    this.whenEnded = whenEnded;
  }

  /**
   * Starts to receive.
   *
   * @throws IOException if it cannot; the connection has ended then
   */
  void start() throws IOException {
    try {
      link.start(this);
    } catch (IOException | RuntimeException | Error e) { // no memory, or the endpoint is closed
      link.giveUp("it cannot receive", e);
      finish();
      throw e;
    }
  }

  @Override
  public void turn() {
    try {
      if (link.isRunning()) {
        if (link.takesBytesAgain()) {
          requests.writable();
        }
        receive();
      }
    } catch (IOException e) {
      link.giveUp(ErrorText.of(e), e);
    } catch (RuntimeException | Error e) {
      link.giveUp(ErrorText.ofEnd("it failed", e), e);
      SafeLog.error(LOG, "{} failed", link, e);
    }
    if (!link.isRunning()) {
      finish();
    }
  }

  @Override
  public void giveUp(String reason, Throwable cause) {
    link.giveUp(reason, cause);
  }

  /** Receives until no bytes are left; stops early once the connection is ended. */
  private void receive() throws IOException {
    for (int leftBytes = TURN_BYTES; leftBytes > 0; ) {
      int roomBytes = into.remaining();
      int n = link.read(into);
      if (n < 0 || !link.isRunning()) {
        throw new IOException(
            "stream ended in "
                + what()
                + " after "
                + into.position()
                + " of "
                + into.limit()
                + " bytes");
      }
      if (n < roomBytes) {
        return; // no more bytes; there is another turn when more arrive
      }
      leftBytes -= n;
      while (!into.hasRemaining()) { // twice for a response without bytes
        received();
      }
    }
  }

  private String what() {
    if (read == null) {
      return "the header of a response";
    }
    return isRefusal() ? "the message of a response" : "the data of a response";
  }

  private boolean isRefusal() {
    return header.getInt(RESPONSE_STATUS_OFFSET) == STATUS_REFUSED;
  }

  private void received() throws IOException {
    if (read == null) {
      read = answered();
      return;
    }
    PendingRead done = read;
    String refusal = isRefusal() ? StandardCharsets.UTF_8.decode(into.flip()).toString() : null;
    requests.answered(header.getLong(RESPONSE_ID_OFFSET));
    read = null; // before a callback runs
    into = header.clear();
    if (refusal == null) {
      done.succeed();
    } else {
      done.fail(new RemoteAccessException(done + " was refused: " + refusal));
    }
  }

  /** The read that the response answers; prepares its destination. */
  private PendingRead answered() throws IOException {
    long requestId = header.getLong(RESPONSE_ID_OFFSET);
    int status = header.getInt(RESPONSE_STATUS_OFFSET);
    int lengthBytes = header.getInt(RESPONSE_LENGTH_OFFSET);
    PendingRead asked = requests.find(requestId);
    if (asked == null) {
      throw new IOException("server answered request " + requestId + ", which was not sent");
    }
    switch (status) {
      case STATUS_OK -> {
        if (lengthBytes != asked.lengthBytes()) {
          throw new IOException(
              "server sends " + lengthBytes + " bytes, expected " + asked.lengthBytes());
        }
        into = asked.landing();
      }
      case STATUS_REFUSED -> {
        if (lengthBytes < 0 || lengthBytes > MAX_MESSAGE_BYTES) {
          throw new IOException(
              "server sends a message of "
                  + lengthBytes
                  + " bytes, the limit is "
                  + MAX_MESSAGE_BYTES);
        }
        into = ByteBuffer.allocate(lengthBytes);
      }
      default -> throw new IOException("server answered with unknown status " + status);
    }
    return asked;
  }

  private void finish() {
    if (!finishing.compareAndSet(false, true)) {
      return;
    }
    List<PendingRead> unfinished = takeUnfinished();
    try {
      meter.connectionClosed(); // before callers hear of it
      link.close();
    } catch (IOException | RuntimeException | Error e) {
      SafeLog.warn(LOG, "{}: closing the socket failed", link, e);
    }
    try {
      OffHeap.free(header);
      PendingRead.endAll(unfinished, ending);
    } finally {
      try {
        whenEnded.run();
      } finally {
        ended.countDown();
      }
    }
  }

  /** Tries again while memory is short, because nobody else would end these reads. */
  private List<PendingRead> takeUnfinished() {
    while (true) {
      try {
        return requests.end();
      } catch (OutOfMemoryError e) {
        SafeLog.error(LOG, "{} has not ended, trying again", link, e);
        LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS);
      }
    }
  }

  private void end(PendingRead unfinished) {
    if (link.gaveUpFor(unfinished)) {
      unfinished.failLate();
    } else {
      link.failAsLost(unfinished);
    }
  }

  /** Returns when all reads are done; at once if a callback of a read calls it. */
  void awaitEnd() {
    if (link.endsNow()) {
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
