package io.sluice.node.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a {@link MessageStream} promises over any kind of socket. */
@Timeout(300)
abstract class ChannelContractTest {
  private static final long SHORT_MS = 50;
  private static final int MORE_THAN_SOCKETS_HOLD_BYTES = 64 << 20;

  @TempDir Path directory;
  private int openSockets;

  abstract ServerSocketChannel listener(int backlog) throws IOException;

  private ChannelPair connect() throws IOException {
    return ChannelPair.connect(listener(1), this::connect);
  }

  /** Connects in the way under test. */
  MessageStream connect(SocketAddress address, long timeoutMs) throws IOException {
    return DeadlineChannel.connect(address, timeoutMs);
  }

  @BeforeEach
  void countSockets() throws IOException {
    connect().close(); // what the JDK opens once and keeps
    openSockets = OpenSockets.count();
  }

  @AfterEach
  void checkSockets() throws IOException {
    assertTrue(OpenSockets.count() <= openSockets, "open sockets before and after");
  }

  @Test
  void movesMoreThanTheSocketsHold() throws Exception {
    byte[] sent = new byte[8 << 20];
    new Random(1).nextBytes(sent);
    try (ChannelPair pair = connect()) {
      CompletableFuture<Void> echo =
          CompletableFuture.runAsync(
              () -> {
                try {
                  ByteBuffer all = ByteBuffer.allocate(sent.length);
                  while (all.hasRemaining()) {
                    pair.peer().read(all);
                  }
                  all.flip();
                  while (all.hasRemaining()) {
                    pair.peer().write(all);
                  }
                } catch (IOException e) {
                  throw new CompletionException(e);
                }
              });
      pair.ours().writeFully(ByteBuffer.wrap(sent), ChannelPair.TIMEOUT_MS);
      ByteBuffer received = ByteBuffer.allocate(sent.length);
      pair.ours().readFully(received, ChannelPair.TIMEOUT_MS);
      echo.join();
      assertArrayEquals(sent, received.array());
    }
  }

  @Test
  void aSilentPeerRunsIntoTheDeadline() throws Exception {
    try (ChannelPair pair = connect()) {
      pair.peer().write(ByteBuffer.allocate(2));
      IOException e =
          assertThrows(
              SocketTimeoutException.class,
              () -> pair.ours().readFully(ByteBuffer.allocate(3), SHORT_MS));
      assertNamesPeer(e, pair);
    }
  }

  @Test
  void aPeerThatDoesNotReadRunsIntoTheDeadline() throws Exception {
    try (ChannelPair pair = connect()) {
      ByteBuffer bytes = ByteBuffer.allocate(MORE_THAN_SOCKETS_HOLD_BYTES);
      IOException e =
          assertThrows(SocketTimeoutException.class, () -> pair.ours().writeFully(bytes, SHORT_MS));
      assertNamesPeer(e, pair);
    }
  }

  @Test
  void aPeerThatCutsTheStreamIsGone() throws Exception {
    try (ChannelPair pair = connect()) {
      pair.peer().write(ByteBuffer.allocate(2));
      pair.peer().close();
      IOException e =
          assertThrows(
              EOFException.class,
              () -> pair.ours().readFully(ByteBuffer.allocate(5), ChannelPair.TIMEOUT_MS));
      assertNamesPeer(e, pair);
      assertTrue(e.getMessage().contains("2 of 5"), e.getMessage());
    }
  }

  @Test
  void aPeerThatIsGoneCannotBeWrittenTo() throws Exception {
    try (ChannelPair pair = connect()) {
      pair.peer().close();
      ByteBuffer bytes = ByteBuffer.allocate(MORE_THAN_SOCKETS_HOLD_BYTES);
      IOException e =
          assertThrows(
              EOFException.class, () -> pair.ours().writeFully(bytes, ChannelPair.TIMEOUT_MS));
      assertNamesPeer(e, pair);
    }
  }

  @Test
  void closeFromAnotherThreadEndsTheWait() throws Exception {
    for (int i = 0; i < 50; i++) { // before, at the beginning of and during the wait
      try (ChannelPair pair = connect()) {
        CompletableFuture<Void> waiting = readInBackground(pair);
        pair.ours().close();
        Throwable cause = assertThrows(CompletionException.class, waiting::join).getCause();
        assertInstanceOf(EOFException.class, cause);
        assertTrue(cause.getMessage().contains("closed on this side"), cause.getMessage());
      }
    }
  }

  private static CompletableFuture<Void> readInBackground(ChannelPair pair) {
    CompletableFuture<Void> started = new CompletableFuture<>();
    CompletableFuture<Void> reading =
        CompletableFuture.runAsync(
            () -> {
              started.complete(null);
              try {
                pair.ours().readFully(ByteBuffer.allocate(1), MessageStream.NO_TIMEOUT);
              } catch (IOException e) {
                throw new CompletionException(e);
              }
            });
    started.join();
    return reading;
  }

  @Test
  void anInterruptEndsTheWait() throws Exception {
    try (ChannelPair pair = connect()) {
      Thread.currentThread().interrupt();
      IOException e =
          assertThrows(
              InterruptedIOException.class,
              () -> pair.ours().readFully(ByteBuffer.allocate(1), ChannelPair.TIMEOUT_MS));
      assertTrue(Thread.interrupted(), "the interrupt must stay pending for the caller");
      assertNamesPeer(e, pair);
    }
  }

  @Test
  void nobodyListens() throws Exception {
    ServerSocketChannel listener = listener(1);
    SocketAddress address = listener.getLocalAddress();
    listener.close();
    ConnectException e =
        assertThrows(ConnectException.class, () -> connect(address, ChannelPair.TIMEOUT_MS));
    assertTrue(e.getMessage().contains(address.toString()), e.getMessage());
  }

  /** What happens to a connect when the queue of the listener is full: the kernel decides. */
  abstract Class<? extends IOException> queueFull();

  @Test
  void aListenerThatDoesNotAcceptFailsTheConnectInTime() throws Exception {
    List<MessageStream> queued = new ArrayList<>();
    try (ServerSocketChannel listener = listener(1)) {
      SocketAddress address = listener.getLocalAddress();
      IOException e =
          assertThrows(
              queueFull(),
              () -> {
                for (int i = 0; i < 10; i++) {
                  queued.add(connect(address, SHORT_MS));
                }
              });
      assertTrue(e.getMessage().contains(address.toString()), e.getMessage());
    } finally {
      for (MessageStream channel : queued) {
        channel.close();
      }
    }
  }

  private static void assertNamesPeer(IOException e, ChannelPair pair) {
    assertTrue(e.getMessage().contains(pair.ours().peer()), e.getMessage());
  }
}
