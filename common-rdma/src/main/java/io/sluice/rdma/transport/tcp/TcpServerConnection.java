package io.sluice.rdma.transport.tcp;

import static io.sluice.rdma.transport.tcp.TcpProtocol.*;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.support.Uninterruptibly;
import io.sluice.rdma.transport.tcp.TcpRegions.RegionSender;
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
 * The server's end of one connection: reads requests and answers them in order.
 *
 * <p>Thread contract: it runs on a thread of its own, which alone uses the socket; {@link
 * #shutdown} and {@link #shutdownIfLate} may be called from any. That thread is never interrupted,
 * because an interrupt would end all sends from the region's file. Ownership: it closes its socket
 * when it ends. Failure: any failure ends this connection and no other; the client sees the end of
 * its stream.
 */
final class TcpServerConnection implements Runnable, RegionSender.Progress {
  private static final Logger LOG = LoggerFactory.getLogger(TcpServerConnection.class);

  /**
   * The size of the buffer for requests, which are small and come in bursts: one call reads many.
   */
  private static final int REQUEST_BUFFER_BYTES = 256 * REQUEST_BYTES;

  private static final long END_LIMIT_MS = 10_000;
  private static final long NOT_BUSY = 0;

  private final TcpServerContext context;
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
  private volatile long idleSinceNanos = System.nanoTime(); // its thread may start late

  /**
   * Takes over the channel; if that fails, the caller still owns it.
   *
   * @param whenEnded runs once, when the socket is closed
   */
  TcpServerConnection(
      TcpServerContext context, SocketChannel channel, Consumer<TcpServerConnection> whenEnded) {
    this.context = context;
    this.channel = channel;
    this.whenEnded = whenEnded;
    this.client = channel.socket().getRemoteSocketAddress();
    this.requests = context.memory().apply(REQUEST_BUFFER_BYTES);
    try {
      this.header = context.memory().apply(RESPONSE_HEADER_BYTES);
    } catch (RuntimeException | Error e) { // mostly for want of memory
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
        context.meter().connectionOpened();
        serveRequests();
      }
    } catch (IOException e) {
      LOG.debug("tcp: connection from {} ended: {}", client, e.toString());
    } catch (RuntimeException | Error e) { // an uncaught one may end the process
      SafeLog.error(LOG, "tcp: connection from {} ended in an error", client, e);
    } finally {
      end(welcomed);
    }
  }

  private boolean welcome() throws IOException {
    ByteBuffer hello = ByteBuffer.allocate(HELLO_BYTES);
    Sockets.readFully(channel, hello, "a hello");
    if (hello.getInt(HELLO_MAGIC_OFFSET) != MAGIC) {
      context.admission().dropped();
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
    Admission admission = context.admission();
    long high = hello.getLong(HELLO_TICKET_OFFSET);
    long low = hello.getLong(HELLO_TICKET_OFFSET + Long.BYTES);
    place = admission.enter(new Ticket(high, low)).orElse(null);
    if (place == null) {
      return admission.isOpen() ? VERDICT_FULL : VERDICT_NOT_EXPECTED;
    }
    if (!context.unauthenticated().leave(channel)) {
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
        throw new EOFException(
            "another connection took over its place"); // the client connects again
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
    TcpRegion region = context.regions().find(regionId, key);
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
        refuse(requestId, "the bytes cannot be read: " + ErrorText.of(e)); // others may succeed
        return;
      }
      context.meter().served(lengthBytes, System.nanoTime() - sinceNanos);
    } finally {
      region.leave(channel);
    }
  }

  private void refuse(long requestId, String message) throws IOException {
    context.meter().readFailed();
    if (!refusedBefore) { // a stale key is no attack, and repeated attempts must not fill the log
      refusedBefore = true;
      LOG.info("Refused a read of {}; further refusals for it are not logged: {}", client, message);
    }
    ByteBuffer text = text(message);
    Sockets.writeFully(channel, header(requestId, STATUS_REFUSED, text.remaining()));
    Sockets.writeFully(channel, text);
  }

  /** A message, cut to whole characters that fit into a response. */
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

  /** Shuts down the connection of a client that does not read, or has sent no request for long. */
  void shutdownIfLate(TcpServerTimeouts timeouts, long idleLimitMs) {
    long stallLimitMs =
        lends ? timeouts.lendLimitMs() : timeouts.stallLimitMs(); // read before busySinceNanos
    long since = busySinceNanos;
    if (since != NOT_BUSY) {
      if (System.nanoTime() - since > TimeUnit.MILLISECONDS.toNanos(stallLimitMs)) {
        LOG.warn("tcp: client {} has stalled for {} ms, connection closed", client, stallLimitMs);
        if (!dropped) { // its end may take a while
          dropped = true;
          context.admission().dropped();
        }
        shutdown();
      }
    } else if (System.nanoTime() - idleSinceNanos > TimeUnit.MILLISECONDS.toNanos(idleLimitMs)) {
      LOG.debug("tcp: client {} has sent no request for {} ms", client, idleLimitMs);
      shutdown();
    }
  }

  /** Ends the connection if its thread could not be started. */
  void abandon() {
    end(false);
  }

  void shutdown() {
    Sockets.shutdown(channel);
  }

  void awaitEnd() {
    Uninterruptibly.await(
        ended, END_LIMIT_MS); // TcpRegion waits for regions that it still sends from
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
      context.meter().connectionClosed();
    }
    context.unauthenticated().leave(channel);
    whenEnded.accept(this);
    ended.countDown();
  }

  @Override
  public String toString() {
    return client.toString();
  }
}
