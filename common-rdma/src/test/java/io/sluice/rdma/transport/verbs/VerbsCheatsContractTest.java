package io.sluice.rdma.transport.verbs;

import static io.sluice.rdma.transport.verbs.VerbsProtocol.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegionFixture;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that were admitted and then cheat: each has a queue pair, and posts to it what it was not
 * given. The NIC of the server refuses, without code of ours. The witness is the status of the
 * completion, which comes from the server's NIC. All owners are at one address, as those of a
 * service are.
 */
@Timeout(300)
abstract class VerbsCheatsContractTest {
  static final int SUCCESS = VerbsLayout.STATUS_SUCCESS;
  static final int REFUSED = VerbsLayout.STATUS_REMOTE_ACCESS;
  static final int INVALID_REQUEST = 9; // IBV_WC_REM_INV_REQ_ERR
  static final int REGION_BYTES = 1 << 20;
  static final int ASKED_BYTES = RawVerbsClient.LANDING_BYTES;
  private static final long LONG_MS = 120_000;

  @TempDir private Path dir;

  private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
  private final Admission strangers = admission();
  private ServerEndpoint service;
  private LeakCheck leaks;

  /** The provider under test. */
  abstract VerbsProvider provider();

  /** The calls of that provider. */
  abstract Verbs verbs();

  /** Where that provider finds its devices. */
  abstract Path sysClass();

  /** Where servers bind. */
  abstract InetSocketAddress bindAddress();

  /** The native objects that exist, in a form that can be compared. */
  abstract String nativeObjects() throws IOException;

  @BeforeEach
  void countForLeaks() {
    leaks = new LeakCheck();
  }

  @AfterEach
  void closeAllAndCheckForLeaks() throws Exception {
    while (!toClose.isEmpty()) {
      toClose.pop().close();
    }
    leaks.check();
  }

  /** Closed after the test, last opened first. */
  final <T extends AutoCloseable> T closing(T resource) {
    toClose.push(resource);
    return resource;
  }

  private static Admission admission() {
    return Admission.expected(new ConnectionLimits(64, 64, LONG_MS, LONG_MS));
  }

  /** The endpoint of the service's own user, beside which the owners have theirs. */
  private ServerEndpoint service() throws Exception {
    if (service == null) {
      service = closing(provider().listen(bindAddress(), strangers));
    }
    return service;
  }

  /** The owner of an endpoint with a region, and the clients that are admitted to it. */
  final class Owner {
    final Admission admission = admission();
    final ServerEndpoint server;
    final RegionFixture memory;
    final RegionDescriptor region;

    Owner() throws Exception {
      this(closing(new RegionFixture(dir, REGION_BYTES, 42)));
    }

    /** Whose region was another owner's before. */
    Owner(RegionFixture memory) throws Exception {
      this.memory = memory;
      server = closing(provider().listenBeside(service(), admission));
      region = server.register(MemoryRegion.ofMapping(memory.mapping()));
    }

    Ticket ticket() {
      return admission.expect(null, Set.of(bindAddress().getAddress())).orElseThrow();
    }

    RawVerbsClient admit() throws IOException {
      return closing(new RawVerbsClient(verbs(), sysClass(), server.address(), ticket()));
    }

    long address() {
      return VerbsRegion.address(region);
    }

    int key(RawVerbsClient client) {
      return VerbsRegion.remoteKey(region, client.remoteDevice()).orElseThrow();
    }

    /** A client of its own reads, so that whatever else is refused was not so for another cause. */
    void assertServes() throws Exception {
      RawVerbsClient own = admit();
      assertEquals(SUCCESS, read(own, address(), key(own)));
      assertEquals(-1, memory.mismatch(0, own.landing()));
    }
  }

  static int read(RawVerbsClient client, long address, int key) throws IOException {
    return client.post(RawVerbsClient.READ, address, key, ASKED_BYTES);
  }

  static void assertNothingRead(RawVerbsClient client) {
    assertEquals(-1, client.landing().mismatch(ByteBuffer.allocate(ASKED_BYTES)));
  }

  @Test
  void theTrueKeyOfAnOwnerOpensNothingThroughAQueuePairOfAnother() throws Exception {
    Owner ann = new Owner();
    Owner bob = new Owner();
    RawVerbsClient bobs = bob.admit();
    assertEquals(REFUSED, read(bobs, ann.address(), ann.key(bobs)));
    assertNothingRead(bobs);
    ann.assertServes();
    bob.assertServes();
  }

  /** Over the provider's own connection, which another owner's descriptor was given to. */
  @Test
  void aReaderLearnsOfTheRefusalAndCountsIt() throws Exception {
    Owner ann = new Owner();
    Owner bob = new Owner();
    ClientEndpoint client = closing(provider().openClient());
    ByteBuffer memory = OffHeap.allocate(ASKED_BYTES);
    closing(() -> OffHeap.free(memory));
    RegisteredBuffer landing = closing(client.register(memory));
    Connection toBob = closing(client.connect(bob.server.address(), bob.ticket(), LONG_MS));
    CompletableFuture<Void> read = toBob.read(ann.region, 0, landing, 0, ASKED_BYTES, LONG_MS);
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> read.get(LONG_MS, TimeUnit.MILLISECONDS));
    assertInstanceOf(RemoteAccessException.class, e.getCause());
    assertEquals(1, client.counters().failedReads());
    assertEquals(-1, memory.mismatch(ByteBuffer.allocate(ASKED_BYTES)));
    Connection again = closing(client.connect(bob.server.address(), bob.ticket(), LONG_MS));
    again.read(bob.region, 0, landing, 0, ASKED_BYTES, LONG_MS).get(LONG_MS, TimeUnit.MILLISECONDS);
    assertEquals(-1, bob.memory.mismatch(0, memory));
  }

  @Test
  void nothingIsReadBeforeOrBehindARegion() throws Exception {
    Owner ann = new Owner();
    for (long from : new long[] {-ASKED_BYTES, REGION_BYTES}) {
      RawVerbsClient client = ann.admit();
      assertEquals(REFUSED, read(client, ann.address() + from, ann.key(client)));
      assertNothingRead(client);
    }
    for (long from : new long[] {-1, REGION_BYTES - ASKED_BYTES + 1}) {
      RawVerbsClient client = ann.admit();
      assertEquals(REFUSED, read(client, ann.address() + from, ann.key(client)));
    }
    ann.assertServes();
  }

  @Test
  void aDeregisteredRegionIsNotRead() throws Exception {
    Owner ann = new Owner();
    RawVerbsClient client = ann.admit();
    int key = ann.key(client);
    assertEquals(SUCCESS, read(client, ann.address(), key));
    client.landing().put(0, new byte[ASKED_BYTES]);
    ann.server.deregister(ann.region);
    assertEquals(REFUSED, read(client, ann.address(), key));
    assertNothingRead(client);
  }

  @Test
  void aGuessedKeyOpensNothing() throws Exception {
    Owner ann = new Owner();
    RawVerbsClient first = ann.admit();
    int key = ann.key(first);
    for (int guess : new int[] {key ^ 1, key ^ 0x80, key + 0x100, key - 0x100, 0, -1}) {
      RawVerbsClient client = ann.admit();
      assertEquals(REFUSED, read(client, ann.address(), guess), () -> "key " + guess);
      assertNothingRead(client);
    }
    ann.assertServes();
  }

  @Test
  void nothingIsWritten() throws Exception {
    Owner ann = new Owner();
    for (int operation :
        new int[] {
          RawVerbsClient.WRITE, RawVerbsClient.COMPARE_AND_SWAP, RawVerbsClient.FETCH_AND_ADD
        }) {
      RawVerbsClient client = ann.admit();
      client.landing().putLong(0, 0x5A5A5A5A5A5A5A5AL);
      int status = client.post(operation, ann.address(), ann.key(client), ASKED_BYTES);
      assertTrue(
          status == INVALID_REQUEST || status == REFUSED,
          () -> "operation " + operation + ": " + VerbsLayout.statusName(status));
      assertEquals(-1, ann.memory.mismatch(0, ann.memory.mapping()), "operation " + operation);
    }
    ann.assertServes();
  }

  /** Who has listened on the wire sends again what an admitted client has said. */
  @Test
  void whatWasSaidOnceIsWorthNothingOnAnotherSocket() throws Exception {
    Owner ann = new Owner();
    RawVerbsClient client = ann.admit();
    String before = nativeObjects();
    try (SocketChannel socket = SocketChannel.open(ann.server.address())) {
      ControlSocket.send(socket, client.said());
      ByteBuffer welcome = ControlSocket.receive(socket, WELCOME_BYTES, "a welcome");
      assertEquals(VERDICT_NOT_EXPECTED, welcome.getShort(HELLO_VERDICT_OFFSET));
      assertEnds(socket);
    }
    assertEquals(before, nativeObjects(), "there is a queue pair for who has replayed");
    assertEquals(1, strangers.counters().expelled());
    assertEquals(1, ann.admission.counters().open());
    assertEquals(SUCCESS, read(client, ann.address(), ann.key(client)), "it was disturbed");
  }

  private static void assertEnds(SocketChannel socket) {
    try {
      assertEquals(-1, socket.read(ByteBuffer.allocate(1)));
    } catch (IOException e) {
      // A reset is an end, too: the server has not read the address of the queue pair.
    }
  }
}
