package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.verbs.FakeVerbs.PairNetwork;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server with two rails: one RDMA device at 127.0.0.1, the other at 127.0.0.2. */
@Timeout(300)
class VerbsRailsTest extends FakeVerbsTestBase {
  @AfterEach
  @Override
  void closeVerbs() throws Exception {
    assertEquals(List.of(), verbs.live());
    super.closeVerbs();
  }

  private ServerEndpoint listen(String address, String... rails) throws Exception {
    return listen(Admission.open(ConnectionLimits.DEFAULT), address, rails);
  }

  private ServerEndpoint listen(Admission admission, String address, String... rails)
      throws Exception {
    List<InetAddress> further = Stream.of(rails).map(VerbsRailsTest::address).toList();
    return verbs
        .provider()
        .withRails(further)
        .listen(new InetSocketAddress(address(address), 0), admission);
  }

  private static InetAddress address(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (java.net.UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> hosts(ServerEndpoint server) {
    return server.rails().stream().map(each -> each.getAddress().getHostAddress()).toList();
  }

  private List<String> devicesOfPairs() {
    return verbs.networks().stream().map(PairNetwork::device).toList();
  }

  @Test
  void aRegionIsReadOverBoth() throws Exception {
    memory.put(7, (byte) 42);
    try (ServerEndpoint server = listen("127.0.0.1", "127.0.0.2");
        ClientEndpoint client = verbs.provider().openClient()) {
      assertEquals(List.of("127.0.0.1", "127.0.0.2"), hosts(server));
      assertEquals(server.rails().get(0), server.address());
      RegionDescriptor region = server.register(MemoryRegion.ofMapping(memory));
      RegisteredBuffer landing = client.register(landingMemory);
      for (InetSocketAddress rail : server.rails()) {
        landingMemory.put(7, (byte) 0);
        try (Connection connection = client.connect(rail, LONG_MS)) {
          String device = rail.equals(server.address()) ? "fake0" : "fake1";
          assertEquals(List.of("fake0", device), devicesOfPairs()); // the client's first
          connection
              .read(region, 0, landing, 0, REGION_BYTES, LONG_MS)
              .get(LONG_MS, TimeUnit.MILLISECONDS);
          assertEquals(42, landingMemory.get(7));
        }
        while (verbs.live().contains("Pair")) {
          Thread.onSpinWait(); // the server's end goes on a thread of its own
        }
      }
    }
  }

  @Test
  void whereOneGoesDownItsConnectionsEndAndTheOtherServes() throws Exception {
    try (ServerEndpoint server = listen("127.0.0.1", "127.0.0.2");
        ClientEndpoint client = verbs.provider().openClient()) {
      Connection first = client.connect(server.rails().get(0), LONG_MS);
      InetSocketAddress down = server.rails().get(1);
      Connection second = client.connect(down, LONG_MS);
      verbs.report("fake1", VerbsLayout.EVENT_PORT_ERR, 1);
      while (second.isOpen()) {
        Thread.onSpinWait(); // the test's time limit ends this
      }
      assertTrue(first.isOpen());
      verbs.fail("port fake1", 0, refusal());
      assertThrows(ConnectFailedException.class, () -> client.connect(down, LONG_MS));
      assertEquals(List.of("127.0.0.1"), hosts(server));
      assertTrue(client.connect(server.rails().get(0), LONG_MS).isOpen());
      verbs.failNoMore();
      assertEquals(List.of("127.0.0.1", "127.0.0.2"), hosts(server));
      assertTrue(client.connect(down, LONG_MS).isOpen());
      verbs.report("fake1", VerbsLayout.EVENT_DEVICE_FATAL, 0);
      while (hosts(server).size() > 1) {
        Thread.onSpinWait();
      }
    }
  }

  /** One ticket leads in at either, once. */
  @Test
  void aTicketIsOfBoth() throws Exception {
    Admission admission = Admission.expected(ConnectionLimits.DEFAULT);
    try (ServerEndpoint server = listen(admission, "127.0.0.1", "127.0.0.2");
        ClientEndpoint client = verbs.provider().openClient()) {
      for (InetSocketAddress rail : server.rails()) {
        var ticket = admission.expect(null, Set.of(HERE)).orElseThrow();
        assertTrue(client.connect(rail, ticket, LONG_MS).isOpen());
        for (InetSocketAddress again : server.rails()) {
          assertThrows(ConnectFailedException.class, () -> client.connect(again, ticket, LONG_MS));
        }
      }
    }
  }

  @Test
  void aRailWithoutAPortIsLeftOut() throws Exception {
    try (ServerEndpoint server = listen("127.0.0.1", "127.0.0.3")) {
      assertEquals(List.of("127.0.0.1"), hosts(server));
    }
    try (ServerEndpoint server = listen("127.0.0.3", "127.0.0.2")) {
      assertEquals(List.of("127.0.0.2"), hosts(server));
      assertFalse(verbs.calls().contains("register"));
    }
    TransportException e =
        assertThrows(TransportException.class, () -> listen("127.0.0.3", "127.0.0.4"));
    assertTrue(e.getMessage().contains("GID for 127.0.0.3 or 127.0.0.4;"), e.getMessage());
  }
}
