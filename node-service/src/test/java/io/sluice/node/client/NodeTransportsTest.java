package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.remote.TransportOffer;
import io.sluice.node.testing.WrappedTcp;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long a node is read without the transport that failed. */
class NodeTransportsTest {
  private static final List<TransportOffer> OFFERS =
      List.of(new TransportOffer("rdma", "", 1, 0), new TransportOffer("tcp", "", 2, 0));
  private static final TransportException FAILURE = new TransportException("no GID");

  private final AtomicLong nowNs = new AtomicLong(7);
  private final ReadStats stats = new ReadStats();
  private final TransportProvider rdma =
      new WrappedTcp() {
        @Override
        public String name() {
          return "rdma";
        }
      };
  private final Transports task = new Transports(List.of(rdma, new TcpProvider()), 4096, 4096);
  private final NodeTransports node = new NodeTransports("a node", task, stats, nowNs::get);

  @AfterEach
  void close() {
    task.close();
  }

  /** The node offers it anew with each control connection. */
  @Test
  void whatFailedIsNotTriedAgainForAnHour() {
    node.offered(OFFERS);
    assertEquals(Optional.of("rdma"), node.best());
    assertTrue(node.giveUp("rdma", FAILURE));
    assertTrue(node.giveUp("rdma", FAILURE)); // of another run, whose read failed too
    assertEquals(1, stats.transportFallbacks());
    for (int minute = 0; minute <= 60; minute++) {
      node.offered(OFFERS);
      assertEquals(Optional.of("tcp"), node.best());
      assertTrue(node.givenUp().contains("no GID"), node.givenUp());
      nowNs.addAndGet(TimeUnit.MINUTES.toNanos(1));
    }
    node.offered(OFFERS);
    assertEquals(Optional.of("rdma"), node.best());
    assertEquals("", node.givenUp());
    assertTrue(node.giveUp("rdma", FAILURE));
    assertEquals(2, stats.transportFallbacks());
  }

  @Test
  void theLastOneIsKept() {
    node.offered(OFFERS);
    assertTrue(node.giveUp("rdma", FAILURE));
    assertFalse(node.giveUp("tcp", FAILURE));
    assertEquals(Optional.of("tcp"), node.best());
  }
}
