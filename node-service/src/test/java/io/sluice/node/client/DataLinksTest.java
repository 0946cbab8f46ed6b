package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.remote.RemoteBackend.AuthenticatedReader;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.remote.TransportOffer;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Data connections that a node has too few of, and that come and go under a reader. */
@Tag("slow")
class DataLinksTest extends NodeTestBase {
  private static final int RUN_BYTES = 8 * WINDOW_BYTES;

  private TestOutput startAndCommit(ConnectionLimits limits) throws IOException {
    limit(limits);
    start(4);
    TestOutput output = TestOutput.single(new Random(1), "attempt_0", RUN_BYTES);
    commit(output);
    return output;
  }

  private long openDataConnections() {
    return service.counters().transports().get("tcp").openConnections();
  }

  /** What ended a healthy map: one place, held by a reader that is idle. */
  @Test
  void aReaderThatFindsNoPlaceWaitsUntilAnotherIsIdle() throws IOException {
    TestOutput output = startAndCommit(new ConnectionLimits(64, 8, TIMEOUT_MS, 10 * TIMEOUT_MS));
    List<NodeReader> readers = new ArrayList<>();
    for (int i = 0; i < 60; i++) { // each has two control connections while it reads, one kept
      readers.add(tcpReader(2));
    }
    try {
      List<CompletableFuture<byte[]>> reads = new ArrayList<>();
      for (NodeReader reader : readers) {
        reads.add(CompletableFuture.supplyAsync(() -> readWhole(reader)));
      }
      for (CompletableFuture<byte[]> read : reads) {
        assertArrayEquals(output.runs().get(0), read.join());
      }
    } finally {
      for (NodeReader reader : readers) {
        reader.close();
      }
    }
  }

  private byte[] readWhole(NodeReader reader) {
    while (true) {
      try (NodeRun run = locateOnly(reader, "attempt_0")) {
        return readAll(run);
      } catch (NodeBusyException e) {
        Thread.onSpinWait(); // of the question where it lies; the bytes are waited for inside
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void aBusyNodeIsNeverAFetchFailure() throws IOException {
    startAndCommit(new ConnectionLimits(2, 8, TIMEOUT_MS, 10 * TIMEOUT_MS));
    try (RemoteClient first = connect();
        RemoteClient second = connect();
        NodeReader third = reader(2, null, 2_000, new TcpProvider())) {
      assertEquals(first.poolId(), second.poolId());
      assertThrows(NodeBusyException.class, () -> locateOnly(third, "attempt_0"));
      assertTrue(third.stats().nodeRefusals() > 0);
    }
  }

  private RemoteClient connect() throws IOException {
    return RemoteClient.connect(address().control(), APP, SECRET, TIMEOUT_MS);
  }

  @Test
  void aReadThatIsRefusedForLongGivesUpWithoutBlame() throws IOException {
    startAndCommit(new ConnectionLimits(2, 8, TIMEOUT_MS, 10 * TIMEOUT_MS));
    try (NodeReader reader = reader(2, null, 2_000, new TcpProvider());
        NodeRun run = locateOnly(reader, "attempt_0");
        AuthenticatedReader another = service.readers().open(APP)) {
      for (int i = 0; i < 2; i++) {
        another.expect("tcp", Set.of());
      }
      assertThrows(NodeBusyException.class, () -> readSome(run, 1));
      assertEquals(0, reader.stats().retries());
      assertTrue(reader.stats().nodeRefusals() > 1);
    }
  }

  @Test
  void anIdleReaderEndsItsConnectionsAndMakesThemAgainInTheMiddleOfARun() throws IOException {
    TestOutput output = startAndCommit(ConnectionLimits.DEFAULT);
    try (NodeReader reader = tcpReader(1);
        NodeRun run = locateOnly(reader, "attempt_0")) {
      byte[] begin = readSome(run, WINDOW_BYTES / 2);
      assertEquals(1, openDataConnections());
      Await.until("the reader has ended them", () -> reader.dataConnections() == 0);
      Await.until("the service has noticed", () -> service.counters().connections().open() == 0);
      byte[] rest = readAll(run);
      assertArrayEquals(output.runs().get(0), concat(begin, rest));
      assertEquals(0, reader.stats().retries());
    }
  }

  @Test
  void aConnectionThatTheServiceHasEndedIsMadeAgainInTheMiddleOfARun() throws IOException {
    TestOutput output = startAndCommit(new ConnectionLimits(64, 8, TIMEOUT_MS, 1000));
    try (NodeReader reader = tcpReader(1);
        NodeRun run = locateOnly(reader, "attempt_0")) {
      byte[] begin = readSome(run, WINDOW_BYTES / 2);
      Await.until("the service has ended it", () -> openDataConnections() == 0);
      byte[] rest = readAll(run);
      assertArrayEquals(output.runs().get(0), concat(begin, rest));
      assertTrue(service.counters().transports().get("tcp").connections() > 1, "none was ended");
    }
  }

  /** The defect was: two in a row, and a healthy map was reported lost. */
  @Test
  void aConnectionThatEndsAgainAndAgainUnderTheSameReadIsNoLoss() throws IOException {
    TestOutput output = startAndCommit(ConnectionLimits.DEFAULT);
    EndedConnections transport = new EndedConnections();
    try (NodeReader reader = reader(1, null, TIMEOUT_MS, transport);
        NodeRun run = locateOnly(reader, "attempt_0")) {
      byte[] begin = readSome(run, WINDOW_BYTES);
      byte[] all = begin;
      for (int times = 1; times <= 5; times++) {
        transport.end(times);
        all = concat(all, readSome(run, WINDOW_BYTES));
      }
      all = concat(all, readAll(run));
      assertEquals(0, transport.left());
      assertArrayEquals(output.runs().get(0), all);
    }
  }

  @Test
  void aConnectionThatAlwaysEndsIsALossInTheEnd() throws IOException {
    startAndCommit(ConnectionLimits.DEFAULT);
    EndedConnections transport = new EndedConnections();
    transport.end(1000);
    try (NodeReader reader = reader(1, null, TIMEOUT_MS, transport);
        NodeRun run = locateOnly(reader, "attempt_0")) {
      FetchFailedException e = assertThrows(FetchFailedException.class, () -> readSome(run, 1));
      assertEquals("attempt_0", e.outputId());
      assertEquals(1000 - 6, transport.left());
    }
  }

  @Test
  void aClosedReaderConnectsNoMore() throws IOException {
    startAndCommit(ConnectionLimits.DEFAULT);
    NodeReader asked = tcpReader(1);
    locateOnly(asked, "attempt_0").close();
    asked.close();
    NodeReader fresh = tcpReader(1);
    fresh.close();
    Await.until("the service has noticed", () -> service.counters().connections().open() == 0);
    for (NodeReader reader : List.of(asked, fresh)) {
      assertThrows(IOException.class, () -> locateOnly(reader, "attempt_0"));
    }
    assertEquals(0, service.counters().connections().open());
  }

  @Test
  void closedLinksConnectNoMore() {
    AtomicInteger asked = new AtomicInteger();
    DataLinks links =
        new DataLinks(
            new DataLinks.Connector() {
              @Override
              public Ticket admit(String transport) {
                asked.incrementAndGet();
                return Ticket.NONE;
              }

              @Override
              public Connection connect(TransportOffer offer, Ticket ticket)
                  throws TransportException {
                throw new TransportException("expected by this test");
              }
            },
            new LinkLimit(1),
            0);
    links.close();
    TransportOffer offer = new TransportOffer("tcp", "", 1, 0);
    assertThrows(TransportException.class, () -> links.connect(List.of(offer)));
    assertEquals(0, asked.get());
  }

  private static byte[] concat(byte[] a, byte[] b) {
    byte[] all = java.util.Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, all, a.length, b.length);
    return all;
  }
}
