package io.sluice.rdma.transport.verbs;

import static io.sluice.rdma.transport.verbs.VerbsProtocol.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.FairShare;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Endpoints of several owners at one address. */
@Timeout(300)
class VerbsOwnersTest {
  private static final long LONG_MS = 120_000;
  private static final int BYTES = 4096;
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();
  private static final ConnectionLimits LIMITS = new ConnectionLimits(4, 4, LONG_MS, LONG_MS);

  @TempDir private Path dir;

  private final LeakCheck leaks = new LeakCheck();
  private FakeVerbs verbs;
  private OwnerAt service;
  private ClientEndpoint client;
  private RegisteredBuffer window;
  private List<String> left = List.of(); // at the end

  @BeforeEach
  void openServiceAndClient() throws Exception {
    verbs = new FakeVerbs(dir);
    client = verbs.provider().openClient();
    window = client.register(ByteBuffer.allocateDirect(BYTES));
    service = new OwnerAt(null);
  }

  @AfterEach
  void closeAll() throws Exception {
    client.close();
    service.server.close();
    assertEquals(left, verbs.live());
    verbs.close();
    leaks.check();
  }

  /** An owner whose endpoint is beside that of another. */
  private final class OwnerAt {
    private final Admission admission = Admission.expected(LIMITS);
    private final ServerEndpoint server;
    private final RegionDescriptor region;

    private OwnerAt(OwnerAt first) throws TransportException {
      server =
          first == null
              ? verbs.provider().listen(new InetSocketAddress(HERE, 0), admission)
              : verbs.provider().listenBeside(first.server, admission);
      region = server.register(MemoryRegion.ofMapping(ByteBuffer.allocateDirect(BYTES)));
    }

    private Ticket ticket() {
      return admission.expect(null, Set.of(HERE)).orElseThrow();
    }

    private Connection connect() throws TransportException {
      return client.connect(server.address(), ticket(), LONG_MS);
    }

    private void assertServes() throws TransportException {
      try (Connection connection = connect()) {
        read(connection, region);
      }
    }
  }

  private void read(Connection connection, RegionDescriptor region) {
    connection.read(region, 0, window, 0, BYTES, LONG_MS).join();
  }

  private long live(String kind) {
    return verbs.live().stream().filter(kind::equals).count();
  }

  @Test
  void eachReadsItsOwnAtOnePortAndIsRefusedTheOthersTrueKey() throws Exception {
    OwnerAt ann = new OwnerAt(service);
    OwnerAt bob = new OwnerAt(ann);
    assertEquals(service.server.address(), ann.server.address());
    assertEquals(service.server.address(), bob.server.address());
    for (OwnerAt reader : List.of(service, ann, bob)) {
      for (OwnerAt other : List.of(service, ann, bob)) {
        try (Connection connection = reader.connect()) {
          read(connection, reader.region);
          if (other != reader) {
            CompletionException e =
                assertThrows(CompletionException.class, () -> read(connection, other.region));
            assertInstanceOf(RemoteAccessException.class, e.getCause());
          }
        }
      }
      while (reader.server.counters().connections() < 3) {
        Thread.onSpinWait(); // the service counts after it has confirmed; the time limit ends this
      }
      assertEquals(1, reader.server.counters().registrations());
    }
    ann.server.close();
    bob.server.close();
  }

  @Test
  void theEndOfOneTakesAllOfItsOwnAndLeavesTheOthers() throws Exception {
    OwnerAt bob = new OwnerAt(service);
    try (Connection bobs = bob.connect()) {
      read(bobs, bob.region);
      List<String> without = verbs.live();
      OwnerAt ann = new OwnerAt(service);
      Connection anns = ann.connect();
      read(anns, ann.region);
      ann.server.close();
      assertEquals(0, ann.server.counters().openConnections());
      assertEquals(0, ann.admission.counters().open());
      assertThrows(CompletionException.class, () -> read(anns, ann.region));
      anns.close();
      assertEquals(without, verbs.live());
      read(bobs, bob.region);
      bob.assertServes();
    }
    bob.server.close();
  }

  /** The others need nothing of the one that was there first. */
  @Test
  void theFirstMayEndBeforeTheOthers() throws Exception {
    OwnerAt ann = new OwnerAt(service);
    service.server.close();
    ann.assertServes();
    OwnerAt bob = new OwnerAt(ann);
    ann.server.close();
    bob.assertServes();
    bob.server.close();
    assertThrows(ConnectFailedException.class, bob::connect);
    TransportException e = assertThrows(TransportException.class, () -> new OwnerAt(bob));
    assertTrue(e.getMessage().contains("are closed"), e.getMessage());
  }

  @Test
  void aTicketOfAnOwnerThatHasEndedIsNotExpected() throws Exception {
    OwnerAt ann = new OwnerAt(service);
    Ticket anns = ann.ticket();
    InetSocketAddress address = ann.server.address();
    ann.server.close();
    for (Ticket ticket : new Ticket[] {anns, new Ticket(1, 2)}) {
      ConnectFailedException e =
          assertThrows(
              ConnectFailedException.class, () -> client.connect(address, ticket, LONG_MS));
      assertTrue(e.getMessage().contains("does not expect"), e.getMessage());
    }
    assertEquals(2, service.admission.counters().expelled(), "each stranger is one");
    assertEquals(0, ann.admission.counters().expelled());
    service.assertServes();
  }

  /** Its queue pair would else be made in a domain that is gone. */
  @Test
  void aClientThatWasWelcomedEndsWithItsOwner() throws Exception {
    OwnerAt ann = new OwnerAt(service);
    Ticket ticket = ann.ticket();
    try (SocketChannel socket = SocketChannel.open(ann.server.address())) {
      ControlSocket.send(socket, RawVerbsClient.hello(ticket));
      ByteBuffer welcome = ControlSocket.receive(socket, WELCOME_BYTES, "a welcome");
      assertEquals(VERDICT_WELCOME, welcome.getShort(HELLO_VERDICT_OFFSET));
      assertEquals(1, ann.admission.counters().open());
      ann.server.close();
      assertEquals(0, ann.admission.counters().open());
      assertEquals(-1, socket.read(ByteBuffer.allocate(1)));
    }
    assertEquals(0, live("Pair"));
  }

  /** As above, if its owner ends while it is let in. */
  @Test
  void aClientThatEntersInTheMomentOfItsOwnersEndIsNotExpected() throws Exception {
    AtomicReference<ServerEndpoint> ending = new AtomicReference<>();
    Admission admission =
        Admission.expected(
            LIMITS,
            new FairShare(4),
            () -> { // which the admission asks when it lets somebody in
              ServerEndpoint server = ending.getAndSet(null);
              if (server != null) {
                server.close();
              }
              return 0;
            });
    List<String> before = verbs.live();
    ServerEndpoint server = verbs.provider().listenBeside(service.server, admission);
    Ticket ticket = admission.expect(null, Set.of(HERE)).orElseThrow();
    ending.set(server);
    ConnectFailedException e =
        assertThrows(
            ConnectFailedException.class, () -> client.connect(server.address(), ticket, LONG_MS));
    assertTrue(e.getMessage().contains("does not expect"), e.getMessage());
    while (admission.counters().open() > 0) {
      Thread.onSpinWait(); // the test's time limit ends this
    }
    assertEquals(before, verbs.live());
    service.assertServes();
  }

  @Test
  void anOwnerTakesADomainAndNoThread() throws Exception {
    List<Thread> threads = LeakCheck.transportThreads();
    int files = LeakCheck.openFiles();
    List<String> before = verbs.live();
    List<OwnerAt> owners = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      owners.add(new OwnerAt(service));
    }
    List<String> expected = new ArrayList<>(before);
    for (int i = 0; i < 200; i++) {
      expected.addAll(List.of("Domain", "Memory"));
    }
    expected.sort(null);
    assertEquals(expected, verbs.live());
    assertEquals(Set.copyOf(threads), Set.copyOf(LeakCheck.transportThreads()));
    assertTrue(LeakCheck.openFiles() < files + 200, "each takes a file");
    owners.get(0).assertServes();
    owners.get(199).assertServes();
    owners.forEach(owner -> owner.server.close());
    service.assertServes();
  }

  @Test
  void anOwnerForWhomTheDeviceHasNoDomainHarmsNoOther() throws Exception {
    List<String> before = verbs.live();
    verbs.fail("allocateDomain", 0, new IOException("expected by this test"));
    TransportException e = assertThrows(TransportException.class, () -> new OwnerAt(service));
    assertTrue(e.getMessage().contains("expected by this test"), e.getMessage());
    verbs.fail("allocateDomain", 0, new OutOfMemoryError("expected by this test"));
    assertThrows(OutOfMemoryError.class, () -> new OwnerAt(service));
    verbs.failNoMore();
    assertEquals(before, verbs.live());
    service.assertServes();
  }

  /** Its memory may still be read by its own clients' queue pairs, and by nobody else's. */
  @Test
  void anOwnerWhoseDomainIsKeptKeepsTheDeviceOpenAndNoOtherFromServing() throws Exception {
    OwnerAt ann = new OwnerAt(service);
    verbs.fail("freeDomain", 0, new IOException("expected by this test"));
    assertThrows(IllegalStateException.class, ann.server::close);
    verbs.failNoMore();
    service.assertServes();
    OwnerAt bob = new OwnerAt(service);
    bob.assertServes();
    bob.server.close();
    IllegalStateException e = assertThrows(IllegalStateException.class, service.server::close);
    assertTrue(e.getCause().getMessage().contains("stays open"), e.getMessage());
    left = List.of("Context", "Domain");
  }

  /** It would be offered to readers, each of whom tried in vain. */
  @Test
  void anOwnerThatComesWhenEveryDeviceHasFailedIsNotServed() throws Exception {
    List<String> before = verbs.live();
    verbs.report("fake0", VerbsLayout.EVENT_DEVICE_FATAL, 0);
    TransportException e =
        assertThrows(
            TransportException.class,
            () -> {
              while (true) { // until the event was taken; the test's time limit ends this
                verbs.provider().listenBeside(service.server, Admission.expected(LIMITS)).close();
              }
            });
    assertTrue(e.getMessage().contains("every RDMA device has failed"), e.getMessage());
    assertEquals(before, verbs.live());
  }

  /** An event of a queue pair that was in the device when it was shared. */
  @Test
  void aRefusedReadEndsItsConnectionAlone() throws Exception {
    OwnerAt ann = new OwnerAt(service);
    OwnerAt bob = new OwnerAt(service);
    try (Connection anns = ann.connect();
        RawVerbsClient bobs =
            new RawVerbsClient(verbs, verbs.sysClass(), bob.server.address(), bob.ticket())) {
      int status =
          bobs.post(
              RawVerbsClient.READ,
              VerbsRegion.address(ann.region),
              VerbsRegion.remoteKey(ann.region, bobs.remoteDevice()).orElseThrow(),
              BYTES);
      assertEquals(VerbsLayout.STATUS_REMOTE_ACCESS, status);
      while (bob.server.counters().openConnections() > 0) {
        Thread.onSpinWait(); // bob keeps the socket open; the test's time limit ends this
      }
      read(anns, ann.region);
      assertEquals(1, ann.server.counters().openConnections());
    }
    ann.server.close();
    bob.server.close();
  }
}
