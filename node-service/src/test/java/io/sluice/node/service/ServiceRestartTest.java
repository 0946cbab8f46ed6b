package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.FetchFailedException;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.testing.FreePorts;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.testing.TestOutput;
import io.sluice.spill.testing.TestPool;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What outlives a service, and what its readers notice. */
class ServiceRestartTest extends NodeTestBase {
  private static final int LENGTH_BYTES = 3_000_000;

  private final TestOutput output = TestOutput.single(new Random(1), "attempt_0", LENGTH_BYTES);
  private final byte[] expected = output.runs().get(0);
  private int port;

  @BeforeEach
  void startAndCommit() throws IOException {
    port = FreePorts.inARow(3);
    start(false, new TcpProvider());
    commit(output);
  }

  private void start(boolean recover, TransportProvider... transports) throws IOException {
    service = NodeService.start(withDisk(2, transports).listen(LOOPBACK, port).recover(recover));
  }

  @Test
  void outputsAndSecretsSurvive() throws IOException {
    UUID poolId = service.metadata().poolId();
    service.close();
    start(true, new TcpProvider());
    assertEquals(poolId, service.metadata().poolId());
    try (NodeReader reader = tcpReader(4)) {
      assertReads(reader, List.of(output));
    }
    JobSecret another = new JobSecret(new byte[] {1});
    assertThrows(
        RemoteError.class,
        () ->
            SocketClient.connect(service.metadata().address().socket(), APP, another, TIMEOUT_MS));
    TestOutput later = TestOutput.single(new Random(2), "attempt_1", 1000);
    commit(later);
    service.applicationStopped(APP);
    assertEquals(0, service.store().stats().memory().usedBytes());
    assertEquals(0, service.store().stats().disk().createdBytes());
  }

  private void startWithOtherSegments() throws IOException {
    service =
        NodeService.start(
            withDisk(2, new TcpProvider())
                .segments(2 * TestPool.SEGMENT_BYTES, TestPool.BLOCK_BYTES)
                .listen(LOOPBACK, port)
                .recover(true));
  }

  @Test
  void outputsSurviveAnotherLengthOfSegments() throws IOException {
    UUID poolId = service.metadata().poolId();
    service.close();
    startWithOtherSegments();
    assertEquals(poolId, service.metadata().poolId());
    try (NodeReader reader = tcpReader(4)) {
      assertReads(reader, List.of(output));
    }
    commit(TestOutput.single(new Random(2), "attempt_1", 1000));
  }

  /** The new length is taken where nothing needs the old one. */
  @Test
  void aPoolOfNoApplicationBeginsAnewWithAnotherLengthOfSegments() throws IOException {
    UUID poolId = service.metadata().poolId();
    service.applicationStopped(APP);
    service.close();
    startWithOtherSegments();
    assertNotEquals(poolId, service.metadata().poolId());
    try (SocketClient task = task(APP)) {
      assertEquals(
          2 * TestPool.SEGMENT_BYTES,
          task.leaseContiguous(2 * TestPool.SEGMENT_BYTES).lengthBytes());
    }
  }

  /** An application is forgotten when it has ended, even if not all of it could be freed. */
  @Test
  void whatIsLeftOfAnApplicationThatNobodyKnowsIsFreed() throws IOException {
    service.close();
    Files.delete(home().resolve("applications").resolve(APP));
    start(true, new TcpProvider());
    assertEquals(0, service.store().stats().outputs());
    assertEquals(0, service.store().stats().memory().usedBytes());
    assertEquals(0, service.store().stats().disk().createdBytes());
  }

  /** As when its process is killed while it frees: nobody says again that it has ended. */
  @Test
  void anEndedApplicationIsFreedByTheNextStart() throws IOException {
    service.applicationEnded(APP);
    assertEquals(1, service.store().stats().outputs());
    service.close();
    start(true, new TcpProvider());
    assertEquals(0, service.store().stats().outputs());
    assertEquals(0, service.store().stats().memory().usedBytes());
    assertEquals(0, service.store().stats().disk().createdBytes());
  }

  @Test
  void withoutRecoveryNothingSurvives() throws IOException {
    UUID poolId = service.metadata().poolId();
    service.close();
    start(false, new TcpProvider());
    assertNotEquals(poolId, service.metadata().poolId());
    assertEquals(0, service.store().stats().outputs());
    try (NodeReader reader = tcpReader(4)) {
      RemoteError e =
          assertThrows(
              RemoteError.class,
              () -> reader.locate(address(), PartitionRange.one(0), List.of("attempt_0")));
      assertEquals(RemoteError.Code.UNKNOWN_APPLICATION, e.code());
    }
  }

  @Test
  void aReaderGoesOnWithNewKeysAndPorts() throws IOException {
    try (NodeReader reader = tcpReader(2);
        NodeRun run = locateOnly(reader, "attempt_0")) {
      run.prefetch(2);
      byte[] first = readSome(run, 100_000);
      service.close();
      start(true, new NamedProvider("first"), new TcpProvider()); // tcp one port further on
      byte[] rest = readSome(run, LENGTH_BYTES - 100_000);
      assertEquals(-1, run.input().read(new byte[1], 0, 1));
      assertArrayEquals(Arrays.copyOf(expected, 100_000), first);
      assertArrayEquals(Arrays.copyOfRange(expected, 100_000, LENGTH_BYTES), rest);
      assertTrue(reader.stats().retries() > 0);
      assertEquals(0, reader.stats().transportFallbacks());
    }
  }

  @Test
  void aReaderWaitsForTheServiceToComeBack() throws Exception {
    try (NodeReader reader = tcpReader(2);
        NodeRun run = locateOnly(reader, "attempt_0")) {
      readSome(run, 100_000);
      service.close();
      CompletableFuture<byte[]> reading = CompletableFuture.supplyAsync(() -> rest(run));
      Await.until("the reader noticed", () -> reader.stats().retries() > 0);
      start(true, new TcpProvider());
      assertArrayEquals(Arrays.copyOfRange(expected, 100_000, LENGTH_BYTES), reading.get());
    }
  }

  private static byte[] rest(NodeRun run) {
    try {
      return readSome(run, LENGTH_BYTES - 100_000);
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  @Test
  void aReaderOfAServiceThatStaysAwayFailsAndNamesTheOutput() throws IOException {
    try (NodeReader reader = reader(2, null, 2_000, new TcpProvider());
        NodeRun run = locateOnly(reader, "attempt_0")) {
      readSome(run, 100_000);
      service.close();
      FetchFailedException e =
          assertThrows(FetchFailedException.class, () -> readSome(run, LENGTH_BYTES - 100_000));
      assertEquals("attempt_0", e.outputId());
      assertTrue(e.getMessage().contains("node1"), e.getMessage());
    }
  }

  @Test
  void aReaderOfAWipedServiceFailsWithoutWaiting() throws IOException {
    long veryLongMs = 10 * TIMEOUT_MS; // whoever waits for it misses the deadline of the test
    try (NodeReader reader = reader(2, null, veryLongMs, new TcpProvider());
        NodeRun run = locateOnly(reader, "attempt_0")) {
      readSome(run, 100_000);
      service.close();
      start(false, new TcpProvider());
      FetchFailedException e =
          assertThrows(FetchFailedException.class, () -> readSome(run, LENGTH_BYTES - 100_000));
      assertEquals("attempt_0", e.outputId());
      assertEquals(1, reader.stats().retries());
    }
  }

  @Test
  void aLostSecretCostsOnlyItsApplication() throws IOException {
    String other = "application_1_0002";
    try (SocketClient task = task(other)) {
      output.commit(other, task);
    }
    service.close();
    Files.write(home().resolve("applications").resolve(other), new byte[0]);
    Files.write(home().resolve("applications").resolve("application_1_0003.new"), new byte[] {1});
    start(true, new TcpProvider());
    try (NodeReader reader = tcpReader(4)) {
      assertReads(reader, List.of(output));
    }
    service.applicationStopped(other);
    service.applicationStopped(APP);
    assertEquals(0, service.store().stats().memory().usedBytes());
  }
}
