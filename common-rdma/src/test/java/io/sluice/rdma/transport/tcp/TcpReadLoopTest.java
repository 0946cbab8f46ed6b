package io.sluice.rdma.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.support.TransportMeter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A loop, one of whose connections fails in a way that nobody expects. */
@Timeout(300)
class TcpReadLoopTest {
  private static final long LONG_MS = 120_000;

  private final LeakCheck leaks = new LeakCheck();
  private ServerSocket peer;
  private TcpReadLoop loop;

  @BeforeEach
  void open() throws IOException {
    peer = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    loop = TcpReadLoop.start("sluice-tcp-read-test");
  }

  @AfterEach
  void close() throws Exception {
    loop.close();
    peer.close();
    leaks.check();
  }

  /** Says what becomes of it, and throws in its first turns. */
  private static final class Failing implements TcpReadLoop.Member {
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private int failures;
    private Throwable cause;

    Failing(int failures) {
      this.failures = failures;
    }

    @Override
    public void turn() {
      if (failures > 0) {
        failures--;
        told.add("fails");
        throw new OutOfMemoryError("for a test");
      }
      told.add(cause == null ? "turn" : "ends");
    }

    @Override
    public void giveUp(String reason, Throwable why) {
      cause = why;
    }

    String next() throws InterruptedException {
      return told.poll(LONG_MS, TimeUnit.MILLISECONDS);
    }
  }

  private SocketChannel channel() throws IOException {
    SocketChannel channel = SocketChannel.open(address());
    channel.configureBlocking(false);
    return channel;
  }

  private InetSocketAddress address() {
    return (InetSocketAddress) peer.getLocalSocketAddress();
  }

  @Test
  void aTurnThatThrowsEndsItsOwnConnectionAlone() throws Exception {
    try (SocketChannel one = channel();
        SocketChannel two = channel()) {
      Failing failing = new Failing(1);
      Failing other = new Failing(0);
      SelectionKey othersKey = loop.register(two, other);
      loop.wantTurn(loop.register(one, failing));
      assertEquals("fails", failing.next());
      assertEquals("ends", failing.next());
      assertSame(OutOfMemoryError.class, failing.cause.getClass());
      loop.wantTurn(othersKey);
      assertEquals("turn", other.next());
      assertNull(other.cause);
      assertFalse(loop.hasEnded());
    }
  }

  @Test
  void whatCannotEndNowEndsLater() throws Exception {
    try (SocketChannel one = channel()) {
      Failing failing = new Failing(2);
      SelectionKey key = loop.register(one, failing);
      loop.wantTurn(key);
      assertEquals("fails", failing.next());
      assertEquals("fails", failing.next());
      while (failing.told.isEmpty()) { // until it is known
        loop.watch();
      }
      assertEquals("ends", failing.next());
      assertFalse(loop.hasEnded());
    }
  }

  @Test
  void whatCannotEndNowEndsWithTheLoop() throws Exception {
    try (SocketChannel one = channel()) {
      Failing failing = new Failing(2);
      loop.register(one, failing);
      loop.close();
      assertEquals("fails", failing.next());
      assertEquals("fails", failing.next());
      assertTrue(failing.told.isEmpty());
    }
    try (SocketChannel one = channel()) {
      loop = TcpReadLoop.start("sluice-tcp-read-test");
      Failing failing = new Failing(1);
      loop.register(one, failing);
      loop.close();
      assertEquals("fails", failing.next());
      assertEquals("turn", failing.next());
    }
  }

  /** Its end goes on where it was, and gives back once what it has. */
  @Test
  void aConnectionWhoseEndFailsIsEndedByAnotherTurn() throws Exception {
    TcpLink link = new TcpLink(channel(), address(), loop);
    AtomicInteger ends = new AtomicInteger();
    CountDownLatch failed = new CountDownLatch(2);
    TransportMeter meter = new TransportMeter();
    TcpResponseReader reader =
        new TcpResponseReader(
            link,
            new TcpRequests(link),
            meter,
            () -> {
              failed.countDown();
              if (ends.incrementAndGet() <= 2) {
                throw new OutOfMemoryError("for a test");
              }
            });
    meter.connectionOpened();
    reader.start();
    link.giveUp("for a test", null);
    failed.await();
    while (ends.get() == 2) { // until it is known
      loop.watch();
    }
    reader.awaitEnd();
    assertEquals(3, ends.get());
    assertEquals(0, meter.snapshot().openConnections());
    assertFalse(loop.hasEnded());
  }
}
