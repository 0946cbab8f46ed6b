package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.socket.SocketClient.SegmentAccess;
import io.sluice.node.testing.SeenFromElsewhere;
import io.sluice.node.wire.Acceptor;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.Listener;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.Replies;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A task in front of a service that greets it and then says nothing more. */
@Timeout(300)
class SocketClientTest {
  private static final long VERY_LONG_MS = 600_000;

  @TempDir Path directory;
  private final CountDownLatch asked = new CountDownLatch(1);
  private Acceptor service;

  @BeforeEach
  void start() throws IOException {
    service =
        new Acceptor(
            "sluice-silent",
            listener(),
            ConnectionLimits.DEFAULT,
            (channel, peer) -> greet(channel));
  }

  @AfterEach
  void stop() throws IOException {
    service.close();
  }

  /** How this service hands out segments. */
  SegmentAccess access() {
    return SegmentAccess.NAMES;
  }

  Listener listener() throws IOException {
    return new Listener.OfChannel(
        ServerSocketChannel.open(StandardProtocolFamily.UNIX)
            .bind(UnixDomainSocketAddress.of(socket())));
  }

  Path socket() {
    return directory.resolve("s");
  }

  private void greet(MessageStream channel) throws IOException {
    Frames frames = new Frames(channel);
    assertEquals(access(), access(frames.receiveHello(VERY_LONG_MS).in()));
    LeaseInfo lease = new LeaseInfo(new UUID(1, 2), 4096, 1);
    LeaseRecords.open(socket(), false).create(lease).close(false);
    frames.send(
        Replies.OK,
        out -> {
          out.writeShort(SocketProtocol.VERSION);
          SocketProtocol.writeInfo(out, lease);
          out.writeLong(1);
          if (access() == SegmentAccess.DESCRIPTORS) {
            out.writeByte(0); // no record
          } else {
            SocketProtocol.writePaths(
                out, PoolPaths.owned(lease.poolId(), Owner.ofThisProcess(), directory, List.of()));
          }
        },
        VERY_LONG_MS);
    frames.receive(VERY_LONG_MS, VERY_LONG_MS);
    asked.countDown();
    channel.readFully(ByteBuffer.allocate(1), MessageStream.NO_TIMEOUT);
  }

  private static SegmentAccess access(DataInputStream hello) throws IOException {
    SocketProtocol.VERSIONS.readOf(hello, "task", "test");
    Bounded.readString(hello);
    Bounded.readBytes(hello, JobSecret.MAX_SECRET_BYTES);
    return SocketProtocol.readAccess(hello);
  }

  private SocketClient connect(long timeoutMs) throws IOException {
    return SocketClient.connect(
        socket(),
        SeenFromElsewhere.owner(access()),
        "application_1_0001",
        new JobSecret(new byte[] {1}),
        timeoutMs);
  }

  @Test
  void closeEndsTheWaitOfAnotherThread() throws Exception {
    SocketClient client = connect(VERY_LONG_MS);
    CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> lease(client));
    asked.await();
    client.close();
    Throwable cause = assertThrows(CompletionException.class, waiting::join).getCause();
    assertInstanceOf(IOException.class, cause);
    assertTrue(cause.getMessage().contains("closed on this side"), cause.getMessage());
  }

  private static void lease(SocketClient client) {
    try {
      client.lease(1);
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  @Test
  void aServiceThatDoesNotAnswerRunsIntoTheDeadline() throws IOException {
    try (SocketClient client = connect(2_000)) {
      assertThrows(SocketTimeoutException.class, () -> client.lease(1));
    }
  }
}
