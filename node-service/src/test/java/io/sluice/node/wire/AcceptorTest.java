package io.sluice.node.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.Await;
import io.sluice.rdma.threads.UnsayableError;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.LeakCheck;
import java.io.EOFException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class AcceptorTest {
  private static final long TIMEOUT_MS = ChannelPair.TIMEOUT_MS;

  @TempDir Path directory;
  private final LeakCheck leaks = new LeakCheck();
  private Acceptor acceptor;

  @AfterEach
  void checkLeaks() throws Exception {
    acceptor.close();
    leaks.check();
  }

  private void start(Listener listener, Acceptor.Handler handler) {
    acceptor = new Acceptor("sluice-test", listener, ConnectionLimits.DEFAULT, handler);
  }

  private static void echo(MessageStream channel) throws IOException {
    while (true) {
      ByteBuffer bytes = ByteBuffer.allocate(1);
      channel.readFully(bytes, MessageStream.NO_TIMEOUT);
      channel.writeFully(bytes.flip(), TIMEOUT_MS);
    }
  }

  /** Whoever comes has proved that it may. */
  private static void serve(MessageStream channel, Acceptor.Peer peer) throws IOException {
    if (peer.authenticated(null)) {
      echo(channel);
    }
  }

  private static void assertServed(DeadlineChannel client) throws IOException {
    client.writeFully(ByteBuffer.wrap(new byte[] {42}), TIMEOUT_MS);
    ByteBuffer answer = ByteBuffer.allocate(1);
    client.readFully(answer, TIMEOUT_MS);
    assertEquals(42, answer.get(0));
  }

  @Test
  void closeEndsEveryConversationAndItsThread() throws Exception {
    int openSockets = OpenSockets.count();
    ServerSocketChannel listener = ChannelPair.unixListener(directory, 50);
    List<DeadlineChannel> clients = new ArrayList<>();
    start(new Listener.OfChannel(listener), AcceptorTest::serve);
    for (int i = 0; i < 20; i++) {
      clients.add(DeadlineChannel.connect(listener.getLocalAddress(), TIMEOUT_MS));
      assertServed(clients.get(i));
    }
    acceptor.close();
    Await.until(
        "its threads have ended",
        () ->
            LeakCheck.transportThreads().stream()
                .noneMatch(t -> t.getName().startsWith("sluice-test")));
    for (DeadlineChannel client : clients) {
      assertThrows(EOFException.class, () -> client.readFully(ByteBuffer.allocate(1), TIMEOUT_MS));
      client.close();
    }
    assertTrue(OpenSockets.count() <= openSockets, "open sockets before and after");
  }

  @Test
  void aHandlerThatFailsHarmsNobodyElse() throws Exception {
    ServerSocketChannel listener = ChannelPair.unixListener(directory, 50);
    Acceptor.Handler handler =
        (channel, peer) -> {
          ByteBuffer kind = ByteBuffer.allocate(1);
          channel.readFully(kind, TIMEOUT_MS);
          switch (kind.get(0)) {
            case 1 -> throw new IOException("expected by this test");
            case 2 -> throw new IllegalStateException("expected by this test");
            case 3 -> throw new OutOfMemoryError("expected by this test");
            case 4 -> throw new NoClassDefFoundError("expected by this test");
            case 5 -> throw new UnsayableError();
            default -> echo(channel);
          }
        };
    List<Throwable> uncaught = new CopyOnWriteArrayList<>(); // a NodeManager ends by one
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> uncaught.add(e));
    start(new Listener.OfChannel(listener), handler);
    try (DeadlineChannel good = open(listener, 0)) {
      for (int kind = 1; kind <= 5; kind++) {
        try (DeadlineChannel bad = open(listener, kind)) {
          assertThrows(EOFException.class, () -> bad.readFully(ByteBuffer.allocate(1), TIMEOUT_MS));
        }
      }
      assertServed(good);
    }
    assertEquals(3, acceptor.counters().errors());
    acceptor.close();
    Thread.setDefaultUncaughtExceptionHandler(before);
    assertEquals(List.of(), uncaught);
  }

  @Test
  void peersThatSpeakSomethingElseOrNotInTimeAreCounted() throws Exception {
    ServerSocketChannel listener = ChannelPair.unixListener(directory, 50);
    AtomicLong helloMs = new AtomicLong(1);
    start(
        new Listener.OfChannel(listener),
        (channel, peer) -> new Frames(channel).receiveHello(helloMs.get()));
    try (DeadlineChannel silent = DeadlineChannel.connect(listener.getLocalAddress(), TIMEOUT_MS)) {
      assertThrows(EOFException.class, () -> silent.readFully(ByteBuffer.allocate(1), TIMEOUT_MS));
    }
    assertEquals(1, acceptor.counters().dropped());
    helloMs.set(TIMEOUT_MS);
    try (DeadlineChannel gone = DeadlineChannel.connect(listener.getLocalAddress(), TIMEOUT_MS)) {
      gone.writeFully(ByteBuffer.wrap("GET / HTTP/1.1".getBytes(US_ASCII)), TIMEOUT_MS);
      assertThrows(EOFException.class, () -> gone.readFully(ByteBuffer.allocate(1), TIMEOUT_MS));
    }
    assertEquals(2, acceptor.counters().dropped());
    assertEquals(0, acceptor.counters().errors());
  }

  @Test
  void anotherListenerTakesThePlaceOfOneAndConnectionsStay() throws Exception {
    ServerSocketChannel former = ChannelPair.unixListener(directory, 50);
    start(new Listener.OfChannel(former), AcceptorTest::serve);
    try (DeadlineChannel old = DeadlineChannel.connect(former.getLocalAddress(), TIMEOUT_MS)) {
      assertServed(old);
      ServerSocketChannel other =
          ChannelPair.unixListener(Files.createDirectory(directory.resolve("other")), 50);
      acceptor.acceptFrom(new Listener.OfChannel(other));
      assertFalse(former.isOpen());
      try (DeadlineChannel next = DeadlineChannel.connect(other.getLocalAddress(), TIMEOUT_MS)) {
        assertServed(next);
      }
      assertServed(old);
      acceptor.close();
      assertFalse(other.isOpen());
    }
  }

  private static DeadlineChannel open(ServerSocketChannel listener, int kind) throws IOException {
    DeadlineChannel channel = DeadlineChannel.connect(listener.getLocalAddress(), TIMEOUT_MS);
    channel.writeFully(ByteBuffer.wrap(new byte[] {(byte) kind}), TIMEOUT_MS);
    return channel;
  }

  @Test
  void provedPeersBeyondTheLimitAreRefusedAndTheOthersServed() throws Exception {
    int most = 1_500;
    ServerSocketChannel listener = ChannelPair.unixListener(directory, most);
    SocketAddress address = listener.getLocalAddress();
    List<SocketChannel> crowd = new ArrayList<>();
    acceptor =
        new Acceptor(
            "sluice-test",
            new Listener.OfChannel(listener),
            new ConnectionLimits(most, most, TIMEOUT_MS, TIMEOUT_MS),
            AcceptorTest::serve);
    try {
      for (int i = 0; i < most; i++) {
        crowd.add(SocketChannel.open(address));
      }
      Await.until("all are in", () -> acceptor.counters().open() == most);
      try (DeadlineChannel tooMany = DeadlineChannel.connect(address, TIMEOUT_MS)) {
        assertThrows(
            EOFException.class, () -> tooMany.readFully(ByteBuffer.allocate(1), TIMEOUT_MS));
      }
      assertEquals(1, acceptor.counters().refused());
      SocketChannel last = crowd.get(crowd.size() - 1);
      last.write(ByteBuffer.wrap(new byte[] {42}));
      ByteBuffer answer = ByteBuffer.allocate(1);
      last.read(answer);
      assertEquals(42, answer.get(0));
    } finally {
      for (SocketChannel channel : crowd) {
        channel.close();
      }
    }
  }

  @Test
  void whoShareThePlacesLeaveSomeToEachOther() throws Exception {
    ServerSocketChannel listener = ChannelPair.unixListener(directory, 50);
    acceptor =
        new Acceptor(
            "sluice-test",
            new Listener.OfChannel(listener),
            new ConnectionLimits(8, 50, TIMEOUT_MS, TIMEOUT_MS),
            (channel, peer) -> {
              ByteBuffer user = ByteBuffer.allocate(1);
              channel.readFully(user, TIMEOUT_MS);
              if (peer.authenticated(user.get(0))) {
                echo(channel);
              }
            });
    List<DeadlineChannel> anns = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      anns.add(open(listener, 'a'));
      assertServed(anns.get(i));
    }
    assertRefused(open(listener, 'a'));
    try (DeadlineChannel bob = open(listener, 'b')) {
      assertServed(bob);
      assertRefused(open(listener, 'a'));
      assertEquals(2, acceptor.counters().refused());
      anns.remove(0).close();
      anns.remove(0).close();
      Await.until("two have left", () -> acceptor.counters().open() == 5);
      anns.add(open(listener, 'a'));
      assertServed(anns.get(4));
    } finally {
      for (DeadlineChannel channel : anns) {
        channel.close();
      }
    }
  }

  private static void assertRefused(DeadlineChannel client) throws IOException {
    try (client) {
      assertThrows(EOFException.class, () -> client.readFully(ByteBuffer.allocate(1), TIMEOUT_MS));
    }
  }

  @Test
  void aPeerThatDribblesItsHelloIsEndedByTheDeadlineOfTheWhole() throws Exception {
    ServerSocketChannel listener = ChannelPair.unixListener(directory, 50);
    acceptor =
        new Acceptor(
            "sluice-test",
            new Listener.OfChannel(listener),
            new ConnectionLimits(10, 10, 300, TIMEOUT_MS),
            (channel, peer) -> {
              while (true) { // each byte has long enough a deadline of its own
                channel.readFully(ByteBuffer.allocate(1), TIMEOUT_MS);
              }
            });
    try (DeadlineChannel slow = DeadlineChannel.connect(listener.getLocalAddress(), TIMEOUT_MS)) {
      assertThrows(
          IOException.class,
          () -> {
            while (true) {
              slow.writeFully(ByteBuffer.wrap(new byte[1]), TIMEOUT_MS);
              Thread.yield();
            }
          });
    }
    assertEquals(1, acceptor.counters().expelled());
  }

  @Test
  void anAcceptThatFailsIsTriedAgainAfterAPause() throws Exception {
    List<String> events = new CopyOnWriteArrayList<>();
    ServerSocketChannel channel = ChannelPair.unixListener(directory, 50);
    Listener listener =
        new BrokenListener(2, new Listener.OfChannel(channel), () -> events.add("failed"));
    acceptor =
        new Acceptor(
            "sluice-test",
            listener,
            ConnectionLimits.DEFAULT,
            AcceptorTest::serve,
            closed -> events.add("paused"));
    try (DeadlineChannel client = DeadlineChannel.connect(channel.getLocalAddress(), TIMEOUT_MS)) {
      assertServed(client);
    }
    assertEquals(List.of("failed", "paused", "failed", "paused"), events);
  }

  /** A peer that nobody will ever answer is not left waiting, nor its descriptor open. */
  @Test
  void aConnectionThatCannotBeTakenForLackOfMemoryIsClosed() throws Exception {
    ServerSocketChannel channel = ChannelPair.unixListener(directory, 50);
    start(new WithoutMemory(new Listener.OfChannel(channel)), AcceptorTest::serve);
    try (DeadlineChannel client = DeadlineChannel.connect(channel.getLocalAddress(), TIMEOUT_MS)) {
      assertThrows(EOFException.class, () -> client.readFully(ByteBuffer.allocate(1), TIMEOUT_MS));
    }
    Await.until("it is counted", () -> acceptor.counters().errors() == 1);
  }

  @Test
  void closeDoesNotWaitForThePause() throws Exception {
    CountDownLatch failed = new CountDownLatch(1);
    Listener listener =
        new BrokenListener(
            Integer.MAX_VALUE,
            new Listener.OfChannel(ChannelPair.unixListener(directory, 50)),
            failed::countDown);
    start(listener, AcceptorTest::serve);
    assertTrue(failed.await(TIMEOUT_MS, TimeUnit.MILLISECONDS));
    Await.until("it pauses, until it is closed at most", AcceptorTest::pauses);
    acceptor.close();
  }

  /** Whether what accepts waits now, for a while, for what {@link Acceptor#close} counts down. */
  private static boolean pauses() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(entry -> entry.getKey().getName().equals("sluice-test-accept"))
        .filter(entry -> entry.getKey().getState() == Thread.State.TIMED_WAITING)
        .flatMap(entry -> Stream.of(entry.getValue()))
        .anyMatch(frame -> frame.getClassName().equals(CountDownLatch.class.getName()));
  }

  /** There is none to ask where a peer comes from. */
  private record WithoutMemory(Listener delegate) implements Listener {
    @Override
    public MessageStream accept() throws IOException {
      MessageStream stream = delegate.accept();
      return (MessageStream)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {MessageStream.class},
              (proxy, method, arguments) -> {
                if (method.getName().equals("peerAddress")) {
                  throw new OutOfMemoryError("expected by this test");
                }
                return method.invoke(stream, arguments);
              });
    }

    @Override
    public void close() throws IOException {
      delegate.close();
    }
  }

  /** Out of file descriptors, for some time. */
  private static final class BrokenListener implements Listener {
    private final Listener delegate;
    private final Runnable onFailure;
    private int failuresLeft;

    BrokenListener(int failures, Listener delegate, Runnable onFailure) {
      this.delegate = delegate;
      this.failuresLeft = failures;
      this.onFailure = onFailure;
    }

    @Override
    public MessageStream accept() throws IOException {
      if (failuresLeft > 0) {
        failuresLeft--;
        onFailure.run();
        throw new IOException("Too many open files, expected by this test");
      }
      return delegate.accept();
    }

    @Override
    public void close() throws IOException {
      delegate.close();
    }
  }
}
