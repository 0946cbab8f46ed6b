package io.sluice.rdma.transport.verbs;

import static io.sluice.rdma.transport.verbs.VerbsProtocol.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.verbs.FakeVerbs.PairRoute;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where packets go on InfiniBand: by LID alone, or with a global route header. */
@Timeout(300)
class VerbsInfinibandTest extends FakeVerbsTestBase {
  private static final int LID = 0xC001;
  private static final String SAME_SUBNET = "fe80::1:2:3:4";
  private static final String NO_GID = "0000:0000:0000:0000:0000:0000:0000:0000";
  private static final PairRoute BY_LID = new PairRoute(false, LID, 0, NO_GID);

  @AfterEach
  @Override
  void closeVerbs() throws Exception {
    assertEquals(List.of(), verbs.live());
    super.closeVerbs();
  }

  private static byte[] gid(String address) throws IOException {
    return InetAddress.getByName(address).getAddress();
  }

  private void assertReadsOver(PairRoute route) throws Exception {
    memory.put(7, (byte) 42);
    try (Pair pair = new Pair()) {
      pair.read().get(LONG_MS, TimeUnit.MILLISECONDS);
      assertEquals(42, landingMemory.get(7));
      assertEquals(List.of(route, route), verbs.routes());
    }
  }

  @Test
  void withinASubnetTheLidSuffices() throws Exception {
    verbs.makeInfiniband(LID, false, gid(SAME_SUBNET));
    assertReadsOver(BY_LID);
  }

  @Test
  void aPortThatDemandsTheHeaderGetsIt() throws Exception {
    verbs.makeInfiniband(LID, true, gid(SAME_SUBNET));
    assertReadsOver(new PairRoute(true, LID, 0, "fe80:0000:0000:0000:0001:0002:0003:0004"));
  }

  @Test
  void aPortThatRoutersKnowIsNamedByTheGidThatTheyKnow() throws Exception {
    verbs.makeInfiniband(LID, true, gid(SAME_SUBNET), gid("fec0:0:beef:1:1:2:3:4"));
    assertReadsOver(new PairRoute(true, LID, 1, "fec0:0000:beef:0001:0001:0002:0003:0004"));
  }

  @Test
  void theSubnetManagerMayChangeTheGid() throws Exception {
    verbs.makeInfiniband(LID, true, gid(SAME_SUBNET));
    try (Pair pair = new Pair()) {
      verbs.makeInfiniband(LID, true, gid("fe80:0:0:9:1:2:3:4"));
      pair.client.connect(pair.server.address(), LONG_MS);
      assertEquals("fe80:0000:0000:0009:0001:0002:0003:0004", verbs.routes().get(3).gid());
    }
  }

  /** The route that a server takes to a client whose port is at this GID. */
  private PairRoute routeTo(boolean needsGrh, String gid) throws Exception {
    Admission admission = Admission.expected(new ConnectionLimits(1, 1, LONG_MS, LONG_MS));
    Ticket ticket = admission.expect(null, Set.of(HERE)).orElseThrow();
    try (ServerEndpoint server =
            verbs.provider().listen(new InetSocketAddress(HERE, 0), admission);
        SocketChannel socket = SocketChannel.open(server.address())) {
      ControlSocket.send(socket, RawVerbsClient.hello(ticket));
      ControlSocket.receive(socket, WELCOME_BYTES, "a welcome");
      ByteBuffer address = ByteBuffer.allocate(QueuePairAddress.BYTES);
      new QueuePairAddress(7, 5, 9, 5, LinkKind.INFINIBAND, needsGrh, 200, 0, gid(gid))
          .encode(address);
      ControlSocket.send(socket, address);
      ByteBuffer answer = ControlSocket.receive(socket, ANSWER_BYTES, "an answer");
      assertEquals(OUTCOME_CONNECTED, answer.getInt());
      return verbs.routes().get(0);
    }
  }

  @Test
  void aClientThatDemandsTheHeaderGetsItFromAServerThatDoesNot() throws Exception {
    verbs.makeInfiniband(LID, false, gid(SAME_SUBNET));
    assertEquals(new PairRoute(false, 9, 0, NO_GID), routeTo(false, "fe80::9"));
    assertEquals(
        new PairRoute(true, 9, 0, "fe80:0000:0000:0000:0000:0000:0000:0009"),
        routeTo(true, "fe80::9"));
  }

  @Test
  void anotherSubnetIsReachedByTheLidOfTheRouter() throws Exception {
    verbs.makeInfiniband(LID, false, gid(SAME_SUBNET), gid("fec0:0:beef:1:1:2:3:4"));
    assertEquals(
        new PairRoute(true, 0xC123, 1, "fec0:0000:c123:0002:0000:0000:0000:0009"),
        routeTo(false, "fec0:0:c123:2::9"));
    assertEquals( // within the subnet, though by another router
        new PairRoute(false, 9, 0, NO_GID), routeTo(false, "fec0:0:c123:1::9"));
    assertEquals( // of a subnet manager that gives routers no LIDs in GIDs
        new PairRoute(true, 9, 1, "fe80:0000:0000:0001:0000:0000:0000:0009"),
        routeTo(false, "fe80:0:0:1::9"));
  }

  @Test
  void anAddressIsTheSameAfterItsWay() throws Exception {
    for (boolean needsGrh : new boolean[] {false, true}) {
      ByteBuffer encoded = ByteBuffer.allocate(QueuePairAddress.BYTES);
      new QueuePairAddress(7, 5, LID, 5, LinkKind.INFINIBAND, needsGrh, 255, 3, gid(SAME_SUBNET))
          .encode(encoded);
      QueuePairAddress decoded = QueuePairAddress.decode(encoded.flip());
      assertEquals(needsGrh, decoded.needsGrh());
      assertEquals(255, decoded.reads());
      assertEquals(LID, decoded.lid());
      encoded.put(12, (byte) 2);
      IOException e =
          assertThrows(IOException.class, () -> QueuePairAddress.decode(encoded.rewind()));
      assertFalse(e.getMessage().contains("%"), e.getMessage());
    }
  }
}
