package io.sluice.node.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.probe.Prober.ProbePlan;
import io.sluice.node.probe.Prober.ProbeResult;
import io.sluice.node.remote.ProbeMessages;
import io.sluice.node.remote.ProbeMessages.ProbeOffer;
import io.sluice.node.service.NodeService;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A running service is probed. */
class ProbeTest extends NodeTestBase {
  private static final ProbePlan SHORT = new ProbePlan(50, 4096, 10, 1 << 20, 4, 60_000);

  private void startWith(TransportProvider... transports) throws IOException {
    service = NodeService.start(inMemory(2, transports));
  }

  private List<ProbeResult> probe(TransportProvider... transports) throws IOException {
    return new Prober(List.of(transports), SHORT, TIMEOUT_MS).probe(address().control());
  }

  @Test
  void measuresOverTcp() throws IOException {
    startWith(new TcpProvider());
    ProbeResult result = probe(new TcpProvider()).get(0);
    assertEquals("tcp", result.transport());
    assertEquals("", result.cause());
    ProbeResult.Speed speed = result.speed().orElseThrow();
    assertEquals(50, speed.latencyReads());
    assertEquals(10, speed.bandwidthReads());
    assertTrue(speed.medianNs() > 0 && speed.medianNs() <= speed.p99Ns(), speed.toString());
    assertTrue(speed.bytesPerSecond() > 0, speed.toString());
    assertEquals(
        0, service.counters().transports().get("tcp").connections(), "it has its own port");
  }

  @Test
  void aSlowLinkIsReadForItsTimeOnly() throws IOException {
    startWith(new TcpProvider());
    ProbePlan noTime = new ProbePlan(1, 4096, 1 << 20, 1 << 20, 3, 0);
    ProbeResult result =
        new Prober(List.of(new TcpProvider()), noTime, TIMEOUT_MS)
            .probe(address().control())
            .get(0);
    assertEquals(3, result.speed().orElseThrow().bandwidthReads());
  }

  @Test
  void whoAsksMakesTheServiceAllocateNothing() throws IOException {
    startWith(new TcpProvider());
    long before = OffHeap.allocatedBytes();
    List<ProbeOffer> first = ProbeMessages.ask(address().control(), TIMEOUT_MS);
    for (int i = 0; i < 100; i++) {
      assertEquals(first, ProbeMessages.ask(address().control(), TIMEOUT_MS));
    }
    assertTrue(OffHeap.allocatedBytes() <= before, "the pool may have filled meanwhile");
  }

  /** A key of the pattern is worth nothing where the pool is read, nor is anybody let in there. */
  @Test
  void thePatternLeadsToNoPool() throws Exception {
    startWith(new TcpProvider());
    ProbeOffer probe = ProbeMessages.ask(address().control(), TIMEOUT_MS).get(0);
    InetSocketAddress pool = service.endpoints().address("tcp");
    assertNotEquals(pool.getPort(), probe.offer().port());
    try (ClientEndpoint client = new TcpProvider().openClient()) {
      assertThrows(ConnectFailedException.class, () -> client.connect(pool, TIMEOUT_MS));
    }
  }

  @Test
  void aTransportThatConfinesNobodyIsNotOfferedToStrangers() throws IOException {
    startWith(new ProbedTransport("rdma").unconfined(), new TcpProvider());
    List<ProbeResult> results = probe(new ProbedTransport("rdma"), new TcpProvider());
    assertEquals("the other host does not offer it", results.get(0).cause());
    assertTrue(results.get(1).speed().isPresent());
  }

  @Test
  void everyTransportOfEitherHostHasAResult() throws IOException {
    startWith(new ProbedTransport("theirs"), new ProbedTransport("both"));
    List<ProbeResult> results =
        probe(
            new ProbedTransport("both"),
            new ProbedTransport("ours"),
            new ProbedTransport("broken").unavailable("it has no library"));
    assertEquals(
        List.of("both", "ours", "broken", "theirs"),
        results.stream().map(ProbeResult::transport).toList());
    assertTrue(results.get(0).speed().isPresent());
    assertEquals("the other host does not offer it", results.get(1).cause());
    assertEquals("does not work on this host: it has no library", results.get(2).cause());
    assertEquals("this host does not know it", results.get(3).cause());
  }

  @Test
  void aTransportThatCannotPinHereIsAResult() throws IOException {
    startWith(new ProbedTransport("rdma"), new TcpProvider());
    List<ProbeResult> results =
        probe(new ProbedTransport("rdma").pinningFails("memlock is 64 KiB"), new TcpProvider());
    assertEquals("memlock is 64 KiB", results.get(0).cause());
    assertTrue(results.get(1).speed().isPresent());
  }

  @Test
  void aTransportThatCannotPinThereIsAResult() throws IOException {
    ProbedTransport theirs = new ProbedTransport("rdma").pinningFails("memlock is 64 KiB");
    startWith(theirs, new TcpProvider());
    List<ProbeResult> results = probe(new ProbedTransport("rdma"), new TcpProvider());
    assertTrue(results.get(0).cause().contains("cannot register"), results.toString());
    assertFalse(results.get(0).cause().contains("64 KiB"), "what the log says is not told");
    assertTrue(results.get(1).speed().isPresent());
  }

  @Test
  void corruptedBytesAreSeen() throws IOException {
    startWith(new ProbedTransport("rdma").corrupting());
    ProbeResult result = probe(new ProbedTransport("rdma")).get(0);
    assertTrue(result.cause().contains("corrupts data"), result.cause());
    assertTrue(result.cause().contains("offset 4096"), result.cause());
  }

  @Test
  void aClosedServiceIsNotReached() throws IOException {
    startWith(new TcpProvider());
    probe(new TcpProvider());
    service.close();
    IOException e = assertThrows(IOException.class, () -> probe(new TcpProvider()));
    assertTrue(e.getMessage().contains("is its node service running?"), e.getMessage());
  }
}
