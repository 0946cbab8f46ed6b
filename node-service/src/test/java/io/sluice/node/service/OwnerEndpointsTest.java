package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class OwnerEndpointsTest {
  private static final int TIMEOUT_MS = 120_000;
  private static final int BYTES = 4096;
  private static final Owner ANN = new Owner(1001);
  private static final Owner BOB = new Owner(1002);
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();
  private static final ConnectionLimits LIMITS = new ConnectionLimits(4, 8, 5_000, 60_000);

  private final AtomicLong nowNs = new AtomicLong();
  private final LeakCheck leaks = new LeakCheck();
  private OwnerEndpoints endpoints;
  private ClientEndpoint client;
  private RegisteredBuffer window;

  @BeforeEach
  void openClient() throws TransportException {
    client = new TcpProvider().openClient();
    window = client.register(ByteBuffer.allocateDirect(BYTES));
  }

  @AfterEach
  void close() throws Exception {
    window.close();
    client.close();
    endpoints.close();
    leaks.check();
  }

  private void open(TransportProvider provider, boolean shared) throws IOException {
    InetSocketAddress address = new InetSocketAddress(HERE, 0);
    endpoints = OwnerEndpoints.open(provider, address, LIMITS, shared, nowNs::get);
  }

  private RegionDescriptor register(Owner owner) throws TransportException {
    return endpoints.register(owner, MemoryRegion.ofMapping(ByteBuffer.allocateDirect(BYTES)));
  }

  private Connection connect(Owner owner) throws TransportException {
    Ticket ticket = endpoints.expect(owner, owner, Set.of(HERE)).orElseThrow();
    return client.connect(endpoints.address(owner), ticket, TIMEOUT_MS);
  }

  private void read(Connection connection, RegionDescriptor region) {
    connection.read(region, 0, window, 0, BYTES, TIMEOUT_MS).join();
  }

  @Test
  void aKeyOpensNothingAtTheEndpointOfAnother() throws Exception {
    open(new GuessableTcp(), true);
    RegionDescriptor anns = register(ANN);
    RegionDescriptor bobs = register(BOB);
    assertNotEquals(endpoints.address(ANN), endpoints.address(BOB));
    assertNotEquals(endpoints.address(ANN), endpoints.address(endpoints.own()));
    try (Connection ann = connect(ANN);
        Connection bob = connect(BOB)) {
      read(ann, anns);
      read(bob, bobs);
      CompletionException e = assertThrows(CompletionException.class, () -> read(bob, anns));
      assertInstanceOf(RemoteAccessException.class, e.getCause());
    }
    assertEquals(2, endpoints.counters().reads());
    assertEquals(1, endpoints.counters().failedReads());
  }

  @Test
  void anEndpointGoesWithTheLastOfItsOwnerAndWhatItDidIsKept() throws Exception {
    open(new GuessableTcp(), true);
    RegionDescriptor region = register(ANN);
    endpoints.use(ANN);
    InetSocketAddress address = endpoints.address(ANN);
    try (Connection ann = connect(ANN)) {
      read(ann, region);
      endpoints.deregister(ANN, region);
      assertEquals(address, endpoints.address(ANN), "a reader has it in use");
      endpoints.leave(ANN);
    }
    assertEquals(Optional.empty(), endpoints.expect(ANN, ANN, Set.of(HERE)));
    assertThrows(
        ConnectFailedException.class, () -> client.connect(address, new Ticket(1, 2), 1_000));
    assertEquals(1, endpoints.counters().reads());
    assertEquals(1, endpoints.counters().connections());
    assertEquals(0, endpoints.counters().openConnections());
    assertEquals(0, endpoints.counters().registrations());
    assertEquals(0, endpoints.connections().open());
  }

  /** A reader that comes to an idle connection again connects anew, see DataLinks. */
  @Test
  void idleDataConnectionsMakePlaceForOthers() throws Exception {
    open(new TcpProvider(), true);
    RegionDescriptor region = register(ANN);
    List<Connection> readers = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        readers.add(connect(ANN));
        read(readers.get(i), region);
      }
      assertEquals(Optional.empty(), endpoints.expect(ANN, ANN, Set.of(HERE)), "her share");
      for (int i = 0; i < 6; i++) {
        nowNs.addAndGet(2_000_000_000L);
        Ticket[] ticket = new Ticket[1];
        Await.until(
            "one is idle",
            () -> {
              ticket[0] = endpoints.expect(ANN, ANN, Set.of(HERE)).orElse(null);
              return ticket[0] != null;
            });
        readers.add(client.connect(endpoints.address(ANN), ticket[0], TIMEOUT_MS));
        read(readers.get(readers.size() - 1), region);
      }
      Await.until("the others have ended", () -> endpoints.counters().openConnections() == 3);
      Await.until("they notice", () -> readers.stream().filter(Connection::isOpen).count() == 3);
    } finally {
      readers.forEach(Connection::close);
    }
  }

  /** Else a flood of them would take the files of a service that has many owners. */
  @Test
  void strangersFindFewerPlacesAtTheEndpointsOfOthers() throws Exception {
    ConnectionLimits limits =
        new ConnectionLimits(4, 2 * OwnerEndpoints.UNAUTHENTICATED_PART, TIMEOUT_MS, TIMEOUT_MS);
    InetSocketAddress address = new InetSocketAddress(HERE, 0);
    endpoints = OwnerEndpoints.open(new GuessableTcp(), address, limits, true, nowNs::get);
    endpoints.use(ANN);
    List<Socket> atOwn = strangers(endpoints.own());
    connect(endpoints.own()).close(); // after all three
    assertEquals(0, endpoints.connections().expelled());
    List<Socket> atAnns = strangers(ANN);
    assertEquals(-1, atAnns.get(0).getInputStream().read(), "it made place for the third");
    assertEquals(1, endpoints.connections().expelled());
    for (Socket stranger : atOwn) {
      stranger.close();
    }
    for (Socket stranger : atAnns) {
      stranger.close();
    }
    endpoints.leave(ANN);
  }

  private List<Socket> strangers(Owner owner) throws IOException {
    InetSocketAddress address = endpoints.address(owner);
    List<Socket> three = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      three.add(new Socket(address.getAddress(), address.getPort()));
    }
    return three;
  }

  @Test
  void placesAreOfAllEndpointsTogether() throws Exception {
    open(new GuessableTcp(), true);
    endpoints.use(ANN);
    endpoints.use(BOB);
    for (int i = 0; i < 3; i++) {
      assertTrue(endpoints.expect(ANN, ANN, Set.of(HERE)).isPresent());
    }
    assertEquals(Optional.empty(), endpoints.expect(ANN, ANN, Set.of(HERE)), "her share");
    assertTrue(endpoints.expect(BOB, BOB, Set.of(HERE)).isPresent());
    assertEquals(Optional.empty(), endpoints.expect(BOB, BOB, Set.of(HERE)), "there is no other");
    endpoints.leave(ANN);
    assertTrue(endpoints.expect(BOB, BOB, Set.of(HERE)).isPresent(), "those of hers are free");
    endpoints.leave(BOB);
  }

  /** Her endpoint stays open for what of hers is served, and she may never ask there again. */
  @Test
  void whoDoesNotComeInTimeKeepsNoPlaceFromOthers() throws Exception {
    open(new GuessableTcp(), true);
    endpoints.use(ANN);
    endpoints.use(BOB);
    for (int i = 0; i < 3; i++) {
      assertTrue(endpoints.expect(ANN, ANN, Set.of(HERE)).isPresent());
    }
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(Admission.EXPECTED_MS));
    for (int i = 0; i < 3; i++) {
      assertTrue(endpoints.expect(BOB, BOB, Set.of(HERE)).isPresent(), "place " + i);
    }
    endpoints.leave(ANN);
    endpoints.leave(BOB);
  }

  /** Of a transport that has a listener for all of them, each gets its endpoint from the first. */
  @Test
  void othersAreBesideTheServicesOwnUser() throws Exception {
    Beside provider = new Beside();
    open(provider, true);
    endpoints.use(ANN);
    endpoints.use(BOB);
    InetSocketAddress own = endpoints.address(endpoints.own());
    assertEquals(List.of(own, own), provider.firsts);
    endpoints.leave(ANN);
    endpoints.leave(BOB);
  }

  /** Remembers beside whom it listens. */
  private static final class Beside extends GuessableTcp {
    private final List<InetSocketAddress> firsts = new ArrayList<>();

    @Override
    public ServerEndpoint listenBeside(ServerEndpoint first, Admission admission)
        throws TransportException {
      firsts.add(first.address());
      return super.listenBeside(first, admission);
    }
  }

  @Test
  void keysThatNobodyGuessesNeedNoEndpointOfTheirOwn() throws Exception {
    open(new TcpProvider(), true);
    RegionDescriptor anns = register(ANN);
    assertEquals(endpoints.address(endpoints.own()), endpoints.address(ANN));
    try (Connection bob = connect(BOB)) {
      read(bob, anns); // which he has been told
    }
  }

  @Test
  void aServiceOfOneUserHasOneEndpoint() throws Exception {
    open(new GuessableTcp(), false);
    RegionDescriptor region = register(ANN);
    assertEquals(endpoints.address(endpoints.own()), endpoints.address(ANN));
    endpoints.deregister(ANN, region);
    endpoints.address(endpoints.own());
  }

  @Test
  void nothingIsOpenedAnyMoreOnceItIsClosed() throws Exception {
    open(new GuessableTcp(), true);
    RegionDescriptor region = register(ANN);
    endpoints.close();
    endpoints.deregister(ANN, region);
    assertThrows(TransportException.class, () -> endpoints.use(ANN));
  }

  /** Closes, and says then that somebody still sends from a region. */
  private static final class BusyAtTheEnd extends GuessableTcp {
    @Override
    public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
        throws TransportException {
      ServerEndpoint below = super.listen(bindAddress, admission);
      return (ServerEndpoint)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {ServerEndpoint.class},
              (proxy, method, arguments) -> {
                Object answer = method.invoke(below, arguments);
                if (method.getName().equals("close")) {
                  throw new IllegalStateException("somebody still sends");
                }
                return answer;
              });
    }
  }

  /** Else others' would accept readers until the process ends. */
  @Test
  void oneThatIsBusyKeepsNoOtherOpen() throws Exception {
    open(new BusyAtTheEnd(), true);
    register(ANN);
    register(BOB);
    List<InetSocketAddress> addresses =
        List.of(endpoints.address(ANN), endpoints.address(BOB), endpoints.address(endpoints.own()));
    assertThrows(IllegalStateException.class, endpoints::close);
    for (InetSocketAddress address : addresses) {
      assertThrows(
          ConnectFailedException.class, () -> client.connect(address, new Ticket(1, 2), 1_000));
    }
    assertEquals(0, endpoints.counters().registrations());
  }
}
