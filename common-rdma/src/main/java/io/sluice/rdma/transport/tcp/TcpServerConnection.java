package io.sluice.rdma.transport.tcp;

import static io.sluice.rdma.transport.tcp.TcpProtocol.*;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.support.Uninterruptibly;
import io.sluice.rdma.transport.tcp.TcpRegions.TcpRegion;
import io.sluice.rdma.transport.tcp.TcpServerEndpoint.TcpServerContext;
import io.sluice.rdma.transport.tcp.TcpServerEndpoint.TcpServerTimeouts;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client at the server: reads requests, answers each in turn.
 *
 * <p>Thread contract: runs on one thread of its own, which alone touches the socket; {@link
 * #shutdown} and {@link #shutdownIfLate} may be called from any. That thread is never interrupted:
 * an interrupt would end every send from the region's file. Ownership: closes its socket when it
 * ends. Failure: whatever goes wrong ends this connection and no other; the client sees its stream
 * cut.
 */
final class TcpServerConnection implements Runnable, RegionSender.Progress {
  private static final Logger LOG = LoggerFactory.getLogger(TcpServerConnection.class);

  /** Requests are small and come in bursts; one system call takes many. */
  private static final int REQUEST_BUFFER_BYTES = 256 * REQUEST_BYTES;

  private static final long END_LIMIT_MS = 10_000;
  private static final long NOT_BUSY = 0;

  private final TcpServerContext serving;
  private final SocketChannel channel;
  private final Consumer<TcpServerConnection> whenEnded;
  private final SocketAddress client;
  private final ByteBuffer requests;
  private final ByteBuffer header;
  private final CountDownLatch ended = new CountDownLatch(1);
  private Admission.Place place;
  private boolean refusedBefore;
  private volatile long busySinceNanos = NOT_BUSY;
  private volatile boolean lends;
  private volatile boolean dropped;
  private volatile long idleSinceNanos = System.nanoTime(); // its thread may begin late

  /**
   * Takes the channel over; if that fails, it is still the caller's.
   *
   * @param whenEnded runs once, when the socket is closed
   */
  TcpServerConnection(
      TcpServerContext serving, SocketChannel channel, Consumer<TcpServerConnection> whenEnded) {
    this.serving = serving;
    this.channel = channel;
    this.whenEnded = whenEnded;
    this.client = channel.socket().getRemoteSocketAddress();
    this.requests = serving.memory().apply(REQUEST_BUFFER_BYTES);
    try {
      this.header = serving.memory().apply(RESPONSE_HEADER_BYTES);
    } catch (RuntimeException | Error e) { // of memory, mostly
      OffHeap.free(requests);
      throw e;
    }
  }

  @Override
  public void run() {
    boolean welcomed = false;
    try {
      progressed();
      welcomed = welcome();
      if (welcomed) {
        serving.meter().connectionOpened();
        serveRequests();
      }
    } catch (IOException e) {
      LOG.debug("tcp: connection from {} ended: {}", client, e.toString());
    } catch (RuntimeException | Error e) { // the process may end by one that nobody takes
      SafeLog.error(LOG, "tcp: connection from {} ended in an error", client, e);
    } finally {
      end(welcomed);
    }
  }

  private boolean welcome() throws IOException {
    ByteBuffer hello = ByteBuffer.allocate(HELLO_BYTES);
    Sockets.readFully(channel, hello, "a hello");
    if (hello.getInt(HELLO_MAGIC_OFFSET) != MAGIC) {
      serving.admission().dropped();
      throw new IOException("not a Sluice client: hello starts with " + hello.getInt(0));
    }
    short verdict = verdict(hello);
    ByteBuffer welcome = ByteBuffer.allocate(WELCOME_BYTES);
    short version =
        verdict == VERDICT_OTHER_VERSION
            ? VERSION
            : (short) Math.min(VERSION, hello.getShort(HELLO_VERSION_OFFSET));
    Sockets.writeFully(channel, welcome.putInt(MAGIC).putShort(version).putShort(verdict).flip());
    return verdict == VERDICT_WELCOME;
  }

  private short verdict(ByteBuffer hello) throws IOException {
    if (hello.getShort(HELLO_VERSION_OFFSET) < OLDEST
        || hello.getShort(HELLO_OLDEST_OFFSET) > VERSION) {
      return VERDICT_OTHER_VERSION;
    }
    Admission admission = serving.admission();
    long high = hello.getLong(HELLO_TICKET_OFFSET);
    long low = hello.getLong(HELLO_TICKET_OFFSET + Long.BYTES);
    place = admission.enter(new Ticket(high, low)).orElse(null);
    if (place == null) {
      return admission.isOpen() ? VERDICT_FULL : VERDICT_NOT_EXPECTED;
    }
    if (!serving.unproved().leave(channel)) {
      throw new IOException("the hello came too late");
    }
    return VERDICT_WELCOME;
  }

  private void serveRequests() throws IOException {
    while (true) {
      idleSinceNanos = System.nanoTime();
      busySinceNanos = NOT_BUSY;
      if (requests.position() == 0) {
        place.idle(this::shutdown);
      }
      int readBytes = channel.read(requests);
      if (!place.used()) {
        throw new EOFException("another reader has its place"); // this one connects again
      }
      if (readBytes < 0) {
        if (requests.position() > 0) {
          throw new EOFException("stream ended in a request");
        }
        return;
      }
      requests.flip();
      while (requests.remaining() >= REQUEST_BYTES) {
        int at = requests.position();
        requests.position(at + REQUEST_BYTES);
        progressed();
        serve(
            requests.getLong(at + REQUEST_ID_OFFSET),
            requests.getLong(at + REQUEST_REGION_OFFSET),
            requests.getLong(at + REQUEST_KEY_OFFSET),
            requests.getLong(at + REQUEST_RANGE_OFFSET),
            requests.getInt(at + REQUEST_LENGTH_OFFSET));
      }
      requests.compact();
    }
  }

  private void serve(long requestId, long regionId, long key, long offsetBytes, int lengthBytes)
      throws IOException {
    long sinceNanos = System.nanoTime();
    TcpRegion region = serving.regions().find(regionId, key);
    if (region == null || !region.enter(channel)) {
      refuse(requestId, "no such region under this key: never registered here, or deregistered");
      return;
    }
    try {
      long regionBytes = region.descriptor().lengthBytes();
      if (offsetBytes < 0 || lengthBytes < 0 || lengthBytes > regionBytes - offsetBytes) {
        refuse(
            requestId,
            "offset "
                + offsetBytes
                + ", length "
                + lengthBytes
                + " is outside "
                + region.descriptor());
        return;
      }
      ByteBuffer ok = header(requestId, STATUS_OK, lengthBytes);
      try {
        RegionSender.send(channel, ok, region.memory(), offsetBytes, lengthBytes, this);
      } catch (IOException e) {
        if (region.memory().reader() == null || ok.position() > 0) {
          throw e;
        }
        refuse(requestId, "the bytes cannot be read: " + ErrorText.of(e)); // and others can be
        return;
      }
      serving.meter().served(lengthBytes, System.nanoTime() - sinceNanos);
    } finally {
      region.leave(channel);
    }
  }

  private void refuse(long requestId, String message) throws IOException {
    serving.meter().readFailed();
    if (!refusedBefore) { // a stale key is no cheat, and whoever tries often must not fill the log
      refusedBefore = true;
      LOG.info("A read of {} was refused, and others will not be logged: {}", client, message);
    }
    ByteBuffer text = text(message);
    Sockets.writeFully(channel, header(requestId, STATUS_REFUSED, text.remaining()));
    Sockets.writeFully(channel, text);
  }

  /** As much of a message as a response may carry, in whole characters. */
  static ByteBuffer text(String message) {
    ByteBuffer text = ByteBuffer.allocate(MAX_MESSAGE_BYTES);
    StandardCharsets.UTF_8
        .newEncoder()
        .onMalformedInput(CodingErrorAction.REPLACE)
        .encode(CharBuffer.wrap(message), text, true);
    return text.flip();
  }

  private ByteBuffer header(long requestId, int status, int lengthBytes) {
    header.clear();
    return header.putLong(requestId).putInt(status).putInt(lengthBytes).flip();
  }

  @Override
  public void progressed() {
    busySinceNanos = System.nanoTime() | 1; // never NOT_BUSY
  }

  @Override
  public void lends(boolean lends) {
    this.lends = lends;
  }

  /** Gives up on a client that does not take its bytes, or has asked for none for long. */
  void shutdownIfLate(TcpServerTimeouts patience, long idleLimitMs) {
    long stallLimitMs = lends ? patience.lendLimitMs() : patience.stallLimitMs(); // before since
    long since = busySinceNanos;
    if (since != NOT_BUSY) {
      if (System.nanoTime() - since > TimeUnit.MILLISECONDS.toNanos(stallLimitMs)) {
        LOG.warn("tcp: client {} has stalled for {} ms, connection closed", client, stallLimitMs);
        if (!dropped) { // it may take a while to end
          dropped = true;
          serving.admission().dropped();
        }
        shutdown();
      }
    } else if (System.nanoTime() - idleSinceNanos > TimeUnit.MILLISECONDS.toNanos(idleLimitMs)) {
      LOG.debug("tcp: client {} has asked nothing for {} ms", client, idleLimitMs);
      shutdown();
    }
  }

  /** For whoever could not start this connection's thread. */
  void abandon() {
    end(false);
  }

  void shutdown() {
    Sockets.shutdown(channel);
  }

  void awaitEnd() {
    Uninterruptibly.await(ended, END_LIMIT_MS); // what it still sends from, TcpRegion waits for
  }

  private void end(boolean welcomed) {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.warn("tcp: closing the connection from {} failed", client, e);
    }
    OffHeap.free(requests);
    OffHeap.free(header);
    if (place != null) {
      place.leave();
    }
    if (welcomed) {
      serving.meter().connectionClosed();
    }
    serving.unproved().leave(channel);
    whenEnded.accept(this);
    ended.countDown();
  }

  @Override
  public String toString() {
    return client.toString();
  }
}
