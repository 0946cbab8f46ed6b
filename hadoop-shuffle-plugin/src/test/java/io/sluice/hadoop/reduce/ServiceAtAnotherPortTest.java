package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.hadoop.reduce.FetchSchedule.Batch;
import io.sluice.hadoop.task.NodeLink;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.hadoop.testing.TestNode;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.client.Transports;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A reader finds the service of a node where another program has the port before it. */
@Timeout(120)
final class ServiceAtAnotherPortTest {
  private static final int STEP = 1_000;
  private static final int OFFSET = 1;
  private static final int LONG_MS = 120_000;

  @TempDir Path directory;
  private TestNode node;
  private ServerSocket first; // at the port before the service's
  private final List<Closeable> open = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    while (first == null) {
      node = TestNode.start(Files.createTempDirectory(directory, "node"), 8 << 20);
      open.add(node);
      try {
        first =
            new ServerSocket(
                node.address().control().getPort() - STEP, 10, InetAddress.getLoopbackAddress());
        open.add(first);
      } catch (BindException e) {
        node.close(); // somebody has it already
      }
    }
    SocketClient.connect(
            node.service().metadata().address().socket(),
            node.service().metadata().owner(),
            TestJob.APPLICATION,
            NodeLink.jobSecret(TestJob.SECRET),
            LONG_MS)
        .close(); // the service knows the application
  }

  @AfterEach
  void stop() throws IOException {
    for (Closeable each : open) {
      each.close();
    }
  }

  /** What another program does with a connection. */
  private interface Program {
    void serve(Socket connection) throws IOException;
  }

  private void atTheFirstPort(Program program) {
    DaemonThreads.create(
            "another-program",
            () -> {
              while (!first.isClosed()) {
                try {
                  program.serve(first.accept());
                } catch (IOException e) {
                  if (!first.isClosed()) {
                    throw new UncheckedIOException(e);
                  }
                }
              }
            })
        .start();
  }

  private static NodeReader reader(int timeoutMs) {
    return new NodeReader(
        TestJob.APPLICATION,
        NodeLink.jobSecret(TestJob.SECRET),
        new Transports(List.of(new TcpProvider()), 1 << 16, 1 << 20),
        null,
        new Timeouts(timeoutMs, timeoutMs, LONG_MS));
  }

  private void assertFound(int firstPortTimeoutMs) throws IOException {
    int firstPort = first.getLocalPort();
    Batch batch = new Batch("node1", "http://127.0.0.1:" + (firstPort - OFFSET), List.of(), 0);
    try (NodeReader ofFirst = reader(firstPortTimeoutMs);
        NodeReader ofOthers = reader(LONG_MS)) {
      Map<String, List<NodeRun>> located =
          new ServicePorts(OFFSET)
              .ask(
                  batch,
                  address ->
                      (address.control().getPort() == firstPort ? ofFirst : ofOthers)
                          .locate(address, PartitionRange.one(0), List.of("output")));
      assertEquals(Map.of(), located);
    }
  }

  @Test
  void nobody() throws IOException {
    first.close();
    assertFound(LONG_MS);
  }

  /** As a server of HTTP, which waits for a request. */
  @Test
  void whoSaysNothing() throws IOException {
    atTheFirstPort(open::add);
    assertFound(100); // as long as the greeting is waited for
  }

  @Test
  void whoHangsUp() throws IOException {
    atTheFirstPort(Socket::close);
    assertFound(LONG_MS);
  }

  @Test
  void whoSpeaksSomethingElse() throws IOException {
    atTheFirstPort(
        connection -> {
          open.add(connection);
          connection
              .getOutputStream()
              .write("220 mail.example.org ESMTP\r\n".getBytes(StandardCharsets.US_ASCII));
        });
    assertFound(LONG_MS);
  }

  @Test
  void nobodyAtAll() throws IOException {
    first.close();
    node.close();
    assertThrows(ConnectException.class, () -> assertFound(LONG_MS));
  }
}
