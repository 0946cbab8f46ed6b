package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.wire.Acceptor;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.Listener;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A service that was restarted answers its first request when nobody waits for it any more. */
@Timeout(300)
class LateAnswerTest {
  private static final long VERY_LONG_MS = 600_000;

  @TempDir private Path directory;
  private final AtomicInteger connections = new AtomicInteger();
  private final CountDownLatch givenUp = new CountDownLatch(1);
  private Acceptor service;

  private void serve(MessageStream stream) throws IOException {
    int connection = connections.incrementAndGet();
    Frames frames = new Frames(stream);
    frames.receiveHello(VERY_LONG_MS);
    LeaseInfo lease = new LeaseInfo(new UUID(1, 2), 4096, connection);
    LeaseRecords.open(directory.resolve("s"), false).create(lease).close(false);
    frames.send(
        Replies.OK,
        out -> {
          out.writeShort(SocketProtocol.VERSION);
          SocketProtocol.writeInfo(out, lease);
          out.writeLong(Math.min(connection, 2)); // the first is of the service before
          SocketProtocol.writePaths(
              out, PoolPaths.owned(lease.poolId(), Owner.ofThisProcess(), directory, List.of()));
        },
        VERY_LONG_MS);
    frames.receive(VERY_LONG_MS, VERY_LONG_MS);
    if (connection == 1) {
      return;
    }
    try {
      givenUp.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    frames.send(Replies.OK, out -> {}, VERY_LONG_MS);
    stream.readFully(ByteBuffer.allocate(1), MessageStream.NO_TIMEOUT);
  }

  @BeforeEach
  void start() throws IOException {
    ServerSocketChannel listener =
        ServerSocketChannel.open(StandardProtocolFamily.UNIX)
            .bind(UnixDomainSocketAddress.of(directory.resolve("s")));
    service =
        new Acceptor(
            "sluice-late",
            new Listener.OfChannel(listener),
            ConnectionLimits.DEFAULT,
            (stream, peer) -> serve(stream));
  }

  @AfterEach
  void stop() throws IOException {
    service.close();
  }

  @Test
  void isNotTakenForTheAnswerToTheNextRequest() throws IOException {
    JobSecret secret = new JobSecret(new byte[] {1});
    try (SocketClient client =
        SocketClient.connect(directory.resolve("s"), "application_1_0001", secret, 2_000)) {
      assertThrows(SocketTimeoutException.class, () -> client.lease(1));
      givenUp.countDown();
      assertThrows(RemoteError.class, () -> client.lease(1));
    }
  }
}
