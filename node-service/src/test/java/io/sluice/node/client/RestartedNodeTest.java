package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.remote.PartitionRange;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A service that takes longer to restart than an exchange with it may take. */
@Timeout(120)
class RestartedNodeTest extends NodeTestBase {
  private static final String ID = "attempt_0";
  private static final int WINDOW_BYTES = 4 << 10;
  private static final long EXCHANGE_MS = 2_000;

  /** The pauses between so many questions add up to more than an exchange may take. */
  private static final int QUESTIONS_IN_VAIN = 8;

  private final byte[] expected = new byte[20 * WINDOW_BYTES];

  @Test
  void aReaderWaitsForTheRestartAndReadsOn() throws Exception {
    Random random = seeded("RestartedNodeTest");
    random.nextBytes(expected);
    TestOutput output = new TestOutput(ID, 1, List.of(0), List.of(expected));
    Timeouts timeouts = new Timeouts(EXCHANGE_MS, TIMEOUT_MS, EXCHANGE_MS);
    Transports transports =
        new Transports(List.of(new TcpProvider()), WINDOW_BYTES, 2L * WINDOW_BYTES);
    try (MovingNode node = new MovingNode(directory.resolve("pool"), SECRET, output, random);
        NodeReader reader = new NodeReader(APP, SECRET, transports, null, timeouts);
        NodeRun run = locate(reader, node.address())) {
      int port = node.address().control().getPort();
      byte[] first = new byte[1];
      run.input().read(first, 0, 1); // the first window has come
      node.move();
      node.takeFormer();
      node.fallSilent();
      CompletableFuture<Void> restart =
          CompletableFuture.runAsync(
              () -> {
                turnAway(port);
                node.answerAgain(port);
              });
      byte[] rest = readAll(run);
      restart.join();
      assertEquals(expected.length - 1, rest.length);
      byte[] all = new byte[expected.length];
      all[0] = first[0];
      System.arraycopy(rest, 0, all, 1, rest.length);
      assertArrayEquals(expected, all);
    }
  }

  private static NodeRun locate(NodeReader reader, NodeAddress address) throws IOException {
    return reader.locate(address, PartitionRange.one(0), List.of(ID)).get(ID).get(0);
  }

  /** Somebody else answers at the port meanwhile. */
  private static void turnAway(int port) {
    try (ServerSocket other = new ServerSocket()) {
      other.setReuseAddress(true);
      other.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      for (int i = 0; i < QUESTIONS_IN_VAIN; i++) {
        try (Socket reader = other.accept()) {
          reader
              .getOutputStream()
              .write("HTTP/1.0 400 \r\n\r\n".getBytes(StandardCharsets.US_ASCII));
          reader.shutdownOutput();
          reader.getInputStream().readAllBytes();
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
