package io.sluice.rdma.transport.verbs;

import static io.sluice.rdma.transport.verbs.VerbsProtocol.*;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.verbs.FakeVerbs.PairNetwork;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings of the network: what is one, and that both ends of a connection use the server's. */
@Timeout(300)
class VerbsNetworkTest extends FakeVerbsTestBase {
  private static final VerbsNetwork ON_DEMAND = new VerbsNetwork(0, 0, 0xFFFF, 18, 7, 0, true);

  @AfterEach
  @Override
  void closeVerbs() throws Exception {
    assertEquals(List.of(), verbs.live());
    super.closeVerbs();
  }

  private static VerbsNetwork inPartition(int key) {
    return new VerbsNetwork(0, 0, key, 18, 7, 0, false);
  }

  private ServerEndpoint listen(VerbsNetwork network) throws TransportException {
    return verbs.provider(network).listen(new InetSocketAddress(0)); // at both devices
  }

  /** The address of a server at one of the devices. */
  private static InetSocketAddress at(String host, ServerEndpoint server) {
    return new InetSocketAddress(host, server.address().getPort());
  }

  @ParameterizedTest
  @CsvSource({
    "256, 0, 65535, 18, 7, 0, traffic class is 256",
    "0, 16, 65535, 18, 7, 0, service level is 16",
    "0, 0, 65536, 18, 7, 0, partition key is 65536",
    "0, 0, 65535, 32, 7, 0, timeout code is 32",
    "0, 0, 65535, 18, 8, 0, retry count is 8",
    "-1, 0, 65535, 18, 7, 0, traffic class is -1",
    "0, 0, 65535, 18, 7, 128, MTU is 128",
    "0, 0, 65535, 18, 7, 1500, MTU is 1500",
    "0, 0, 65535, 18, 7, 8192, MTU is 8192"
  })
  void refusesValuesThatAreNone(
      int trafficClass,
      int serviceLevel,
      int partitionKey,
      int timeoutCode,
      int retryCount,
      int mtuBytes,
      String message) {
    String refusal =
        assertThrows(
                IllegalArgumentException.class,
                () ->
                    new VerbsNetwork(
                        trafficClass,
                        serviceLevel,
                        partitionKey,
                        timeoutCode,
                        retryCount,
                        mtuBytes,
                        false))
            .getMessage();
    assertTrue(refusal.startsWith(message), refusal);
  }

  @Test
  void isTheSameAfterItsWay() throws Exception {
    for (VerbsNetwork network :
        new VerbsNetwork[] {
          VerbsNetwork.DEFAULT,
          new VerbsNetwork(255, 15, 0x8001, 31, 0, 4096, false),
          new VerbsNetwork(104, 3, 1, 0, 7, 256, false)
        }) {
      assertEquals(network, VerbsNetwork.decode(encoded(network)));
    }
  }

  private static ByteBuffer encoded(VerbsNetwork network) {
    ByteBuffer encoded = ByteBuffer.allocate(VerbsNetwork.BYTES);
    network.encode(encoded);
    assertEquals(0, encoded.remaining());
    return encoded.flip();
  }

  @Test
  void thePacketsAreNoLongerThanBothPortsAndTheSettingAllow() {
    assertEquals(3, VerbsNetwork.DEFAULT.mtuCode(5, 3));
    assertEquals(4, VerbsNetwork.DEFAULT.mtuCode(4, 5));
    assertEquals(1, new VerbsNetwork(0, 0, 1, 18, 7, 256, false).mtuCode(5, 3));
    assertEquals(3, new VerbsNetwork(0, 0, 1, 18, 7, 4096, false).mtuCode(5, 3));
  }

  @Test
  void bothQueuePairsGetTheValuesOfTheServer() throws Exception {
    VerbsNetwork network = new VerbsNetwork(236, 3, 0x8001, 14, 2, 1024, false);
    ByteBuffer target = ByteBuffer.allocateDirect(REGION_BYTES);
    memory.put(0, (byte) 42);
    try (ServerEndpoint server = listen(network);
        ClientEndpoint client = verbs.provider().openClient();
        RegisteredBuffer landing = client.register(target);
        Connection connection = client.connect(at("127.0.0.2", server), LONG_MS)) {
      assertEquals( // each device has the key at an index of its own
          List.of(
              new PairNetwork("fake0", 236, 3, 2, 14, 2, 3),
              new PairNetwork("fake1", 236, 3, 1, 14, 2, 3)),
          verbs.networks());
      RegionDescriptor descriptor = server.register(MemoryRegion.ofMapping(memory));
      connection
          .read(descriptor, 0, landing, 0, REGION_BYTES, LONG_MS)
          .get(LONG_MS, TimeUnit.MILLISECONDS);
      assertEquals(42, target.get(0));
    }
  }

  @Test
  void withoutSettingsBothGetTheDefaults() throws Exception {
    try (ServerEndpoint server = listen(VerbsNetwork.DEFAULT);
        ClientEndpoint client = verbs.provider().openClient();
        Connection connection = client.connect(at("127.0.0.1", server), LONG_MS)) {
      assertTrue(connection.isOpen());
      PairNetwork expected = new PairNetwork("fake0", 0, 0, 0, 18, 7, 5);
      assertEquals(List.of(expected, expected), verbs.networks());
    }
  }

  @Test
  void aClientThatIsNotInThePartitionSaysWhereToAddIt() throws Exception {
    try (ServerEndpoint server = listen(inPartition(0x8002));
        ClientEndpoint client = verbs.provider().openClient()) {
      assertConnectFails(
          client,
          at("127.0.0.2", server), // at fake1, but the client is at fake0
          "port 1 of fake0 (RoCE v2) does not have partition key 0x8002",
          "subnet manager");
    }
  }

  @Test
  void aServerThatIsNotInThePartitionAtThisAddressTellsTheClientSo() throws Exception {
    try (ServerEndpoint server = listen(inPartition(0x8002));
        ClientEndpoint client = verbs.provider().openClient()) {
      assertConnectFails(client, at("127.0.0.1", server), "the server's RDMA device made no");
    }
  }

  private void assertConnectFails(
      ClientEndpoint client, InetSocketAddress remote, String... causes) {
    ConnectFailedException e =
        assertThrows(ConnectFailedException.class, () -> client.connect(remote, LONG_MS));
    for (String cause : causes) {
      assertTrue(e.getMessage().contains(cause), e.getMessage());
    }
    while (verbs.live().contains("Pair")) {
      Thread.onSpinWait(); // the server's end goes on a thread of its own
    }
  }

  @Test
  void aServerWithoutAPortInThePartitionDoesNotListen() {
    String message =
        assertThrows(TransportException.class, () -> listen(inPartition(0x8003))).getMessage();
    assertTrue(
        message.startsWith("verbs: no active port of [fake0, fake1] has partition key 0x8003;"),
        message);
    InetSocketAddress other = new InetSocketAddress(HERE, 0);
    assertThrows(
        TransportException.class,
        () -> verbs.provider(inPartition(0x8002)).listen(other)); // only the other device has it
  }

  @Test
  void nonsenseOfAServerEndsTheAttempt() throws Exception {
    byte[][] nonsense = {
      {0, 16, 18, 7, -1, -1, 0, 0}, // service level
      {0, 0, 32, 7, -1, -1, 0, 0}, // timeout
      {0, 0, 18, 8, -1, -1, 0, 0}, // retries
      {0, 0, 18, 7, -1, -1, 0, 5} // MTU
    };
    try (ClientEndpoint client = verbs.provider().openClient();
        ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(HERE, 0));
      InetSocketAddress remote = (InetSocketAddress) listener.getLocalAddress();
      for (byte[] network : nonsense) {
        CompletableFuture<Void> server =
            CompletableFuture.runAsync(() -> answer(listener, network));
        assertConnectFails(client, remote, "malformed settings of the network");
        server.get(LONG_MS, TimeUnit.MILLISECONDS);
      }
    }
  }

  /** Is a server up to its settings of the network. */
  private static void answer(ServerSocketChannel listener, byte[] network) {
    try (SocketChannel socket = listener.accept()) {
      ControlSocket.receive(socket, HELLO_BYTES, "a hello");
      ControlSocket.send(
          socket,
          ByteBuffer.allocate(WELCOME_BYTES)
              .putInt(MAGIC)
              .putShort(VERSION)
              .putShort(VERDICT_WELCOME));
      ControlSocket.receive(socket, QueuePairAddress.BYTES, "an address");
      ByteBuffer answer = ByteBuffer.allocate(ANSWER_BYTES).putInt(OUTCOME_CONNECTED);
      new QueuePairAddress(77, 5, 0, 5, LinkKind.ROCE_V2, false, 16, 0, new byte[16])
          .encode(answer);
      ControlSocket.send(socket, answer.put(network));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void onlyTheServersMemoryIsPagedOnDemand() throws Exception {
    try (ServerEndpoint server = listen(ON_DEMAND);
        ClientEndpoint client = verbs.provider(ON_DEMAND).openClient();
        RegisteredBuffer landing = client.register(ByteBuffer.allocateDirect(REGION_BYTES))) {
      server.register(MemoryRegion.ofMapping(memory));
      assertEquals(REGION_BYTES, landing.buffer().capacity());
      assertEquals(
          List.of(
              VerbsLayout.ACCESS_LOCAL_WRITE,
              VerbsLayout.ACCESS_REMOTE_READ | VerbsLayout.ACCESS_ON_DEMAND),
          verbs.memoryAccess());
    }
  }

  @Test
  void aDeviceThatRefusesOnDemandPagingPinsAndIsLoggedOnce() throws Exception {
    verbs.refuseOnDemand();
    try (ServerEndpoint server = listen(ON_DEMAND)) {
      List<String> idle = verbs.live();
      String log =
          logOf(
              () -> {
                for (int i = 0; i < 2; i++) {
                  RegionDescriptor descriptor = server.register(MemoryRegion.ofMapping(memory));
                  assertEquals(List.of(VerbsLayout.ACCESS_REMOTE_READ), verbs.memoryAccess());
                  server.deregister(descriptor);
                }
              });
      for (String device : new String[] {"fake0", "fake1"}) {
        String said = device + " refuses on-demand paging (EOPNOTSUPP)";
        assertEquals(1, log.lines().filter(line -> line.contains(said)).count(), log);
      }
      verbs.fail("register", 3, new IOException("expected by this test")); // pinned at fake1
      assertThrows(
          RegistrationException.class, () -> server.register(MemoryRegion.ofMapping(memory)));
      assertEquals(idle, verbs.live());
    }
  }

  private static String logOf(Executable action) {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      assertDoesNotThrow(action);
    } finally {
      System.setErr(before);
    }
    return log.toString(StandardCharsets.UTF_8);
  }
}
