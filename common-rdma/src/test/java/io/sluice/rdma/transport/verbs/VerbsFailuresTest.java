package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.TransportException.ReadTimeoutException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of endpoints and connections when a call of libibverbs or the device fails. */
@Timeout(300)
class VerbsFailuresTest extends FakeVerbsTestBase {
  /** As if there were no memory left when it is logged. */
  private static IOException refusalThatCannotBeLogged() {
    return new IOException("expected by this test") {
      private static final long serialVersionUID = 1L;

      @Override
      public String toString() {
        throw lackOfMemory();
      }
    };
  }

  /** The server's ends of connections end on its own thread. */
  private void awaitLive(List<String> expected) {
    while (!verbs.live().equals(expected)) {
      Thread.onSpinWait(); // the test's time limit ends this
    }
  }

  @Test
  void anEndpointThatCannotBeOpenedLeavesNothing() {
    for (String call :
        new String[] {"open", "limits", "allocateDomain", "createWaker", "createQueue"}) {
      for (Throwable cause : new Throwable[] {refusal(), lackOfMemory()}) {
        VerbsProvider provider = verbs.provider();
        assertTrue(provider.isAvailable());
        for (int after = 0; after < 2; after++) {
          verbs.fail(call, after, cause);
          openAndClose(provider);
          verbs.failNoMore();
          assertEquals(List.of(), verbs.live(), call);
        }
      }
    }
  }

  /** As in a container to which one device of its host was passed. */
  @Test
  void aDeviceThatCannotBeOpenedLeavesTheOthersToUse() throws Exception {
    VerbsProvider provider = verbs.provider();
    assertTrue(provider.isAvailable());
    verbs.fail("open fake1", 0, refusal());
    try (Pair s = new Pair()) {
      assertEquals(null, s.read().get(LONG_MS, TimeUnit.MILLISECONDS));
    }
    verbs.failNoMore();
    verbs.fail("open fake0", 0, refusal());
    provider.openClient().close();
    provider.listen(new InetSocketAddress(InetAddress.getByName("127.0.0.2"), 0)).close();
    InetSocketAddress itsAddress = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0);
    TransportException e =
        assertThrows(TransportException.class, () -> provider.listen(itsAddress));
    assertTrue(e.getMessage().contains("expected by this test"), e.getMessage());
    assertEquals(List.of(), verbs.live());
  }

  private static void openAndClose(VerbsProvider provider) {
    try {
      provider.listen(new InetSocketAddress(0)).close();
    } catch (TransportException | OutOfMemoryError e) {
      assertFalse(e.getMessage().isEmpty());
    }
    try {
      provider.openClient().close();
    } catch (TransportException | OutOfMemoryError e) {
      assertFalse(e.getMessage().isEmpty());
    }
  }

  @Test
  void aConnectThatFailsAtAnyCallOfEitherSideLeavesNothingAndHarmsNoOther() throws Exception {
    try (Pair s = new Pair()) {
      List<String> connected = verbs.live();
      int failures = 0;
      for (String call :
          new String[] {
            "port",
            "createWaker",
            "createChannel",
            "createQueue",
            "createPair",
            "modify to 1",
            "modify to 2",
            "modify to 3"
          }) {
        for (Throwable cause : new Throwable[] {refusal(), lackOfMemory()}) {
          for (int after = 0; after < 2; after++) {
            verbs.fail(call, after, cause);
            try {
              s.client.connect(s.server.address(), LONG_MS).close();
            } catch (ConnectFailedException e) {
              failures++;
              assertFalse(e.isLater() && e.getMessage().contains("made no queue pair"));
            } catch (OutOfMemoryError e) {
              failures++;
            }
            verbs.failNoMore();
            awaitLive(connected);
          }
        }
      }
      assertTrue(failures >= 20, failures + " failures");
      assertEquals(null, s.read().get(LONG_MS, TimeUnit.MILLISECONDS));
    }
    assertEquals(List.of(), verbs.live());
  }

  /** Else the queue pair, the socket and the place of the client stay, and no close succeeds. */
  @Test
  void aServerThatLacksMemoryToTellOfAnEndEndsTheConnectionAllTheSame() throws Exception {
    try (Pair s = new Pair()) {
      List<String> connected = verbs.live();
      verbs.fail("modify to 2", 0, refusalThatCannotBeLogged()); // the server makes it first
      assertThrows(
          ConnectFailedException.class, () -> s.client.connect(s.server.address(), LONG_MS));
      verbs.failNoMore();
      awaitLive(connected);
    }
    assertEquals(List.of(), verbs.live());
  }

  @Test
  void aServerWithoutQueuePairsTellsTheClientSo() throws Exception {
    try (Pair s = new Pair()) {
      verbs.fail("createPair", 1, refusal()); // the client makes one first
      ConnectFailedException e =
          assertThrows(
              ConnectFailedException.class, () -> s.client.connect(s.server.address(), LONG_MS));
      assertTrue(e.getMessage().contains("made no queue pair"), e.getMessage());
      verbs.failNoMore();
    }
  }

  @Test
  void aCallThatFailsOnAConnectionEndsItAndItsReads() throws Exception {
    for (String call : new String[] {"post", "poll", "await", "takeEvent", "requestEvent"}) {
      for (Throwable cause : new Throwable[] {refusal(), lackOfMemory()}) {
        if (call.equals("await") && cause instanceof Error) {
          continue; // another thread waits, too
        }
        try (Pair s = new Pair()) {
          verbs.fail(call, 0, cause);
          while (s.connection.isOpen()) {
            CompletableFuture<Void> read = s.read();
            try {
              read.get(LONG_MS, TimeUnit.MILLISECONDS);
            } catch (ExecutionException e) {
              assertInstanceOf(ConnectionLostException.class, e.getCause(), call);
            }
          }
          verbs.failNoMore();
          s.connection.close();
          assertInstanceOf(ConnectionLostException.class, failure(s.read()));
        }
        assertEquals(List.of(), verbs.live(), call);
      }
    }
  }

  @Test
  void aStatusThatIsNoRefusalIsALostConnection() throws Exception {
    try (Pair s = new Pair()) {
      verbs.failNextRead(11); // IBV_WC_REM_OP_ERR
      Throwable failure = failure(s.read());
      assertInstanceOf(ConnectionLostException.class, failure);
      assertTrue(failure.getMessage().contains("IBV_WC_REM_OP_ERR"), failure.getMessage());
      assertFalse(s.connection.isOpen());
    }
  }

  /** Else a reader would take it for a service that ends idle connections, and connect again. */
  @Test
  void aReadWithoutAnAnswerIsLateAndTheOthersAreLost() throws Exception {
    try (Pair s = new Pair()) {
      verbs.loseReads();
      List<CompletableFuture<Void>> reads = new ArrayList<>(List.of(s.read()));
      verbs.failNextRead(VerbsLayout.STATUS_NO_ANSWER); // the NIC may not have come to the first
      reads.add(s.read());
      List<Throwable> failures = new ArrayList<>();
      reads.forEach(read -> failures.add(failure(read)));
      failures.sort(Comparator.comparing(failure -> failure instanceof ConnectionLostException));
      Throwable late = assertInstanceOf(ReadTimeoutException.class, failures.get(0));
      assertTrue(late.getMessage().contains("got no answer"), late.getMessage());
      assertInstanceOf(ConnectionLostException.class, failures.get(1));
      assertFalse(s.connection.isOpen());
      assertInstanceOf(ConnectionLostException.class, failure(s.read()));
    }
  }

  @Test
  void theFailureOfTheDeviceEndsConnectionsWithItsReason() throws Exception {
    try (Pair s = new Pair()) {
      verbs.loseReads();
      CompletableFuture<Void> read = s.read();
      verbs.report("fake0", VerbsLayout.EVENT_DEVICE_FATAL, 0);
      Throwable failure = failure(read);
      assertInstanceOf(ConnectionLostException.class, failure);
      assertFalse(s.connection.isOpen());
      // Either side's device may have told first: the client's own says why.
      assertThrows(
          TransportException.class,
          () -> {
            while (true) { // until both endpoints know
              s.client.connect(s.server.address(), LONG_MS).close();
            }
          });
    }
    assertEquals(List.of(), verbs.live());
  }

  @Test
  void aPortThatGoesDownEndsItsConnectionsAndNewOnesWork() throws Exception {
    try (Pair s = new Pair()) {
      verbs.loseReads();
      CompletableFuture<Void> read = s.read();
      verbs.report("fake1", VerbsLayout.EVENT_PORT_ERR, 1);
      verbs.report("fake0", VerbsLayout.EVENT_PORT_ERR, 2);
      verbs.report("fake0", 4, 0); // IBV_EVENT_COMM_EST
      assertTrue(s.connection.isOpen());
      verbs.report("fake0", VerbsLayout.EVENT_PORT_ERR, 1);
      assertInstanceOf(ConnectionLostException.class, failure(read));
      s.connection.close();
      awaitLive(s.idle);
      while (!connects(s)) { // until both endpoints have taken the event
        Thread.onSpinWait();
      }
    }
  }

  /** An InfiniBand port may get another LID, too, which is asked for in the same call. */
  @Test
  void aPortThatHasChangedIsUsedAsItIsNow() throws Exception {
    try (Pair s = new Pair()) {
      verbs.setMtu(3); // the queue pairs of both sides must get it
      try (Connection later = s.client.connect(s.server.address(), LONG_MS)) {
        later
            .read(s.descriptor, 0, s.landing, 0, REGION_BYTES, LONG_MS)
            .get(LONG_MS, TimeUnit.MILLISECONDS);
      }
    }
  }

  private static boolean connects(Pair s) {
    try {
      s.client.connect(s.server.address(), LONG_MS).close();
      return true;
    } catch (TransportException e) {
      return false;
    }
  }

  @Test
  void aQueuePairThatFailsEndsItsConnectionAlone() throws Exception {
    try (Pair s = new Pair()) {
      List<Long> first = verbs.pairs();
      try (Connection second = s.client.connect(s.server.address(), LONG_MS)) {
        for (long pair : first) {
          verbs.report("fake0", VerbsLayout.EVENT_QP_FATAL, pair);
        }
        while (s.connection.isOpen()) {
          Thread.onSpinWait();
        }
        second
            .read(s.descriptor, 0, s.landing, 0, REGION_BYTES, LONG_MS)
            .get(LONG_MS, TimeUnit.MILLISECONDS);
      }
    }
  }

  @Test
  void anEventThatIsTakenAwayBeforeItIsReadHarmsNobody() throws Exception {
    try (Pair s = new Pair()) {
      verbs.reportAndWithdraw();
      while (!verbs.isWithdrawalSeen()) {
        Thread.onSpinWait(); // the test's time limit ends this
      }
      s.read().get(LONG_MS, TimeUnit.MILLISECONDS);
      verbs.report("fake0", VerbsLayout.EVENT_PORT_ERR, 1);
      while (s.connection.isOpen()) {
        Thread.onSpinWait();
      }
    }
    assertEquals(List.of(), verbs.live());
  }

  @Test
  void memoryThatTheDeviceRefusesIsNotRegisteredAnywhere() throws Exception {
    try (ServerEndpoint server = verbs.provider().listen(new InetSocketAddress(0))) {
      List<String> idle = verbs.live();
      verbs.fail("register", 1, refusal()); // of the second device
      assertThrows(
          RegistrationException.class, () -> server.register(MemoryRegion.ofMapping(memory)));
      assertEquals(idle, verbs.live());
      verbs.fail("register", 1, lackOfMemory());
      assertThrows(OutOfMemoryError.class, () -> server.register(MemoryRegion.ofMapping(memory)));
      assertEquals(idle, verbs.live());
    }
  }

  /** Else the failure of one device ends the use of all. */
  @Test
  void aDeviceThatHasFailedLeavesTheOthersToUse() throws Exception {
    verbs.exchangeAddresses(); // so that the first device is the one that fails
    try (ServerEndpoint server = verbs.provider().listen(new InetSocketAddress(0));
        ClientEndpoint client = verbs.provider().openClient()) {
      verbs.fail("port fake0", 0, refusal());
      verbs.fail("register fake0", 0, refusal());
      verbs.report("fake0", VerbsLayout.EVENT_DEVICE_FATAL, 0);
      awaitFailure(() -> server.register(MemoryRegion.ofMapping(memory)));
      awaitFailure(() -> client.register(landingMemory));
      RegionDescriptor descriptor = server.register(MemoryRegion.ofMapping(memory));
      assertTrue(VerbsRegion.remoteKey(descriptor, 0).isEmpty());
      InetSocketAddress remote =
          new InetSocketAddress(InetAddress.getByName("127.0.0.1"), server.address().getPort());
      RegisteredBuffer landing = client.register(landingMemory);
      try (Connection connection = client.connect(remote, LONG_MS)) {
        connection
            .read(descriptor, 0, landing, 0, REGION_BYTES, LONG_MS)
            .get(LONG_MS, TimeUnit.MILLISECONDS);
      }
      verbs.report("fake1", VerbsLayout.EVENT_DEVICE_FATAL, 0);
      String message = null;
      while (message == null) {
        try {
          server.register(MemoryRegion.ofMapping(memory));
        } catch (RegistrationException e) {
          message = e.getMessage();
        }
      }
      assertEquals("verbs: every RDMA device has failed, of [fake0, fake1]", message);
    }
    assertEquals(List.of(), verbs.live());
  }

  /** Tries to register until the endpoint knows that a device has failed. */
  private static void awaitFailure(Callable<?> registration) throws Exception {
    while (true) {
      try {
        registration.call();
        return;
      } catch (RegistrationException e) {
        assertFalse(e.getMessage().contains("DAX"), e.getMessage());
      }
    }
  }

  @Test
  void onlyMemoryThatTheKernelRefusesIsSaidToBeOnAnotherFileSystem() throws Exception {
    try (ServerEndpoint server = listen()) {
      for (String said : new String[] {"[95] Operation not supported", "[14] Bad address"}) {
        verbs.fail("register", 0, new IOException(said));
        assertRegistrationSays(
            server,
            said + "; memory on a DAX file system cannot be registered, tmpfs and hugetlbfs can");
      }
      verbs.fail("register", 0, new IOException("[12] Cannot allocate memory"));
      assertRegistrationSays(server, "[12] Cannot allocate memory");
    }
  }

  private void assertRegistrationSays(ServerEndpoint server, String words) {
    RegistrationException e =
        assertThrows(
            RegistrationException.class, () -> server.register(MemoryRegion.ofMapping(memory)));
    assertEquals("verbs: " + words, e.getMessage());
  }

  /** Else its memory goes to others, once it is tried again, while the NIC's key opens it. */
  @Test
  void aRegionThatTheNicKeepsIsNotDeregisteredHoweverOftenItIsTried() throws Exception {
    ServerEndpoint server = listen();
    RegionDescriptor descriptor = server.register(MemoryRegion.ofMapping(memory));
    verbs.fail("deregister", 0, refusal());
    for (int i = 0; i < 3; i++) {
      String message =
          assertThrows(IllegalStateException.class, () -> server.deregister(descriptor))
              .getMessage();
      assertTrue(message.contains("must not be unmapped"), message);
    }
    assertEquals(1, server.counters().registrations());
    assertThrows(IllegalStateException.class, server::close);
    assertEquals(List.of("Context", "Domain", "Memory"), verbs.live().subList(0, 3));
  }

  /** Else the end of what still uses the device would crash the process. */
  @Test
  void aDeviceWhoseDomainIsUsedStaysOpen() throws Exception {
    ServerEndpoint server = listen();
    verbs.fail("freeDomain", 0, refusal());
    Throwable cause = assertThrows(IllegalStateException.class, server::close).getCause();
    assertEquals(0, cause.getSuppressed().length, "its device was closed all the same");
    assertEquals(List.of("Context", "Domain"), verbs.live());
  }

  /** Until then the NIC might still write to its destination. */
  @Test
  void aReadFailsWhenItsQueuePairIsDestroyed() throws Exception {
    List<Consumer<Pair>> ends =
        List.of(
            s -> verbs.report("fake0", VerbsLayout.EVENT_PORT_ERR, 1),
            s -> s.connection.close(),
            s -> s.client.close(),
            s -> s.server.close(),
            s -> s.read(50)); // is late
    for (Consumer<Pair> end : ends) {
      try (Pair s = new Pair()) {
        verbs.loseReads();
        CompletableFuture<Long> readers =
            s.read()
                .handle(
                    (ok, failure) -> verbs.pairAccess().stream().filter(each -> each == 0).count());
        end.accept(s);
        assertEquals(0, readers.get(LONG_MS, TimeUnit.MILLISECONDS));
      }
    }
  }

  @Test
  void anAttemptToConnectEndsInTimeOrWithItsEndpoint() throws Exception {
    List<String> before = verbs.live();
    try (ServerSocket silent = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
        ServerSocket other = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
      InetSocketAddress remote = (InetSocketAddress) silent.getLocalSocketAddress();
      ClientEndpoint client = verbs.provider().openClient();
      ConnectFailedException late =
          assertThrows(ConnectFailedException.class, () -> client.connect(remote, 50));
      assertTrue(late.getMessage().contains("no answer in time"), late.getMessage());
      assertFalse(late.isLater());
      InetSocketAddress second = (InetSocketAddress) other.getLocalSocketAddress();
      CompletableFuture<Throwable> attempt =
          CompletableFuture.supplyAsync(
              () -> assertThrows(TransportException.class, () -> client.connect(second, LONG_MS)));
      try (Socket accepted = other.accept()) {
        assertTrue(accepted.isConnected());
        client.close();
        assertFalse(attempt.get(LONG_MS, TimeUnit.MILLISECONDS).getMessage().isEmpty());
      }
    }
    assertEquals(before, verbs.live());
  }

  /** Else the deadline closes its socket unseen, and the server ends it. */
  @Test
  void aConnectionThatIsMadeAtItsDeadlineLives() throws Exception {
    try (Pair s = new Pair()) {
      List<Connection> made = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        try {
          made.add(s.client.connect(s.server.address(), 1 + i % 4));
        } catch (ConnectFailedException e) {
          assertTrue(e.getMessage().contains("no answer in time"), e.getMessage());
        }
      }
      for (Connection each : made) {
        each.read(s.descriptor, 0, s.landing, 0, REGION_BYTES, LONG_MS)
            .get(LONG_MS, TimeUnit.MILLISECONDS);
      }
    }
    assertEquals(List.of(), verbs.live());
  }
}
