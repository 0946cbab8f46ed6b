package io.sluice.rdma.transport.verbs;

import static io.sluice.rdma.transport.verbs.VerbsProtocol.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that deviate from the protocol, and the places that they get. */
@Timeout(300)
class VerbsServerTest extends FakeVerbsTestBase {
  @AfterEach
  @Override
  void closeVerbs() throws Exception {
    assertEquals(List.of(), verbs.live());
    super.closeVerbs();
  }

  private ServerEndpoint listen(Admission admission) throws Exception {
    return verbs.provider().listen(new InetSocketAddress(HERE, 0), admission);
  }

  private static Admission admission(int most, int mostUnauthenticated, long limitMs) {
    return Admission.expected(new ConnectionLimits(most, mostUnauthenticated, limitMs, LONG_MS));
  }

  private static void assertEnds(SocketChannel socket) throws IOException {
    ByteBuffer rest = ByteBuffer.allocate(64);
    try {
      while (socket.read(rest) >= 0) {
        assertTrue(rest.hasRemaining());
      }
    } catch (IOException e) {
      // A reset is an end, too.
    }
  }

  private SocketChannel admitted(ServerEndpoint server, Admission admission) throws IOException {
    Ticket ticket = admission.expect(null, Set.of(HERE)).orElseThrow();
    SocketChannel socket = SocketChannel.open(server.address());
    ControlSocket.send(socket, RawVerbsClient.hello(ticket));
    ByteBuffer welcome = ControlSocket.receive(socket, WELCOME_BYTES, "a welcome");
    assertEquals(VERDICT_WELCOME, welcome.getShort(HELLO_VERDICT_OFFSET));
    return socket;
  }

  @Test
  void aClientThatIsNoneIsDroppedAndHasMadeNoQueuePair() throws Exception {
    Admission admission = admission(4, 4, LONG_MS);
    try (ServerEndpoint server = listen(admission)) {
      List<String> idle = verbs.live();
      try (SocketChannel socket = SocketChannel.open(server.address())) {
        ControlSocket.send(
            socket, ByteBuffer.allocate(HELLO_BYTES).putLong(1).putLong(2).putLong(3));
        assertEnds(socket);
      }
      assertEquals(1, admission.counters().dropped());
      try (SocketChannel socket = SocketChannel.open(server.address())) {
        ControlSocket.send(socket, RawVerbsClient.hello(Ticket.NONE));
        ByteBuffer welcome = ControlSocket.receive(socket, WELCOME_BYTES, "a welcome");
        assertEquals(VERDICT_NOT_EXPECTED, welcome.getShort(HELLO_VERDICT_OFFSET));
        assertEnds(socket);
      }
      assertEquals(1, admission.counters().expelled());
      assertEquals(idle, verbs.live());
    }
  }

  @Test
  void aClientOfAnotherReleaseIsToldSo() throws Exception {
    try (ServerEndpoint server = listen(admission(4, 4, LONG_MS));
        SocketChannel socket = SocketChannel.open(server.address())) {
      ControlSocket.send(
          socket,
          ByteBuffer.allocate(HELLO_BYTES)
              .putInt(MAGIC)
              .putShort((short) (VERSION + 2))
              .putShort((short) (VERSION + 1))
              .position(HELLO_BYTES));
      ByteBuffer welcome = ControlSocket.receive(socket, WELCOME_BYTES, "a welcome");
      assertEquals(VERSION, welcome.getShort(HELLO_VERSION_OFFSET));
      assertEquals(VERDICT_OTHER_VERSION, welcome.getShort(HELLO_VERDICT_OFFSET));
      assertEnds(socket);
    }
  }

  @Test
  void aClientThatSaysNothingIsExpelledInTimeAndOneTooManyAtOnce() throws Exception {
    Admission soon = admission(4, 4, 50);
    try (ServerEndpoint server = listen(soon);
        SocketChannel socket = SocketChannel.open(server.address())) {
      assertEnds(socket);
      assertEquals(1, soon.counters().expelled());
    }
    Admission few = admission(4, 1, LONG_MS);
    try (ServerEndpoint server = listen(few);
        SocketChannel first = SocketChannel.open(server.address());
        SocketChannel second = SocketChannel.open(server.address())) {
      assertTrue(second.isOpen());
      assertEnds(first);
      assertEquals(1, few.counters().expelled());
    }
  }

  @Test
  void aClientThatEndsInTheMiddleOfTheSetUpKeepsNothing() throws Exception {
    Admission admission = admission(1, 4, LONG_MS);
    try (ServerEndpoint server = listen(admission)) {
      List<String> idle = verbs.live();
      admitted(server, admission).close();
      awaitNobody(admission, idle);
      try (SocketChannel socket = admitted(server, admission)) {
        ControlSocket.send(socket, address(77));
        ByteBuffer answer = ControlSocket.receive(socket, ANSWER_BYTES, "an answer");
        assertEquals(OUTCOME_CONNECTED, answer.getInt());
        assertEquals(FakeVerbs.READS_SERVED, QueuePairAddress.decode(answer).reads());
      }
      awaitNobody(admission, idle);
      assertEquals(0, server.counters().connections());
    }
  }

  /** At whatever step its time is over. */
  @Test
  void aClientThatStopsInTheMiddleOfTheSetUpIsEnded() throws Exception {
    Admission admission = admission(1, 4, 50);
    try (ServerEndpoint server = listen(admission)) {
      List<String> idle = verbs.live();
      for (int messages = 0; messages < 2; messages++) {
        Ticket ticket = admission.expect(null, Set.of(HERE)).orElseThrow();
        try (SocketChannel socket = SocketChannel.open(server.address())) {
          ControlSocket.send(socket, RawVerbsClient.hello(ticket));
          if (messages > 0) {
            ControlSocket.send(socket, address(77));
          }
          assertEnds(socket);
        } catch (IOException e) {
          // It was ended before it had sent all.
        }
        awaitNobody(admission, idle);
        if (admission.enter(ticket).isPresent()) {
          return; // it was too late for its hello, so that its place is taken now
        }
      }
      assertEquals(0, server.counters().connections());
    }
  }

  private void awaitNobody(Admission admission, List<String> idle) {
    while (!verbs.live().equals(idle) || admission.counters().open() > 0) {
      Thread.onSpinWait(); // the test's time limit ends this
    }
  }

  @Test
  void aClientWhosePortSpeaksSomethingElseIsToldSo() throws Exception {
    Admission admission = admission(1, 4, LONG_MS);
    try (ServerEndpoint server = listen(admission);
        SocketChannel socket = admitted(server, admission)) {
      ByteBuffer encoded = ByteBuffer.allocate(QueuePairAddress.BYTES);
      new QueuePairAddress(7, 5, 9, 5, LinkKind.INFINIBAND, false, 200, 0, new byte[16])
          .encode(encoded);
      ControlSocket.send(socket, encoded);
      ByteBuffer answer = ControlSocket.receive(socket, ANSWER_BYTES, "an answer");
      assertEquals(OUTCOME_OTHER_LINK, answer.getInt());
      assertEnds(socket);
    }
  }

  @Test
  void aMalformedAddressOfAQueuePairIsRefused() throws Exception {
    Admission admission = admission(1, 4, LONG_MS);
    try (ServerEndpoint server = listen(admission)) {
      List<String> idle = verbs.live();
      for (int number : new int[] {-1, 1 << 24}) {
        try (SocketChannel socket = admitted(server, admission)) {
          ControlSocket.send(socket, address(number));
          assertEnds(socket);
        }
        while (admission.counters().open() > 0) {
          Thread.onSpinWait();
        }
      }
      assertEquals(2, admission.counters().dropped());
      assertEquals(idle, verbs.live());
    }
  }

  private static ByteBuffer address(int number) {
    ByteBuffer encoded = ByteBuffer.allocate(QueuePairAddress.BYTES);
    new QueuePairAddress(number, 5, 0, 5, LinkKind.ROCE_V2, false, 200, 0, new byte[16])
        .encode(encoded);
    return encoded;
  }

  @Test
  void aClientThatWritesAfterTheSetUpIsDropped() throws Exception {
    Admission admission = admission(1, 4, LONG_MS);
    try (ServerEndpoint server = listen(admission);
        SocketChannel socket = admitted(server, admission)) {
      ControlSocket.send(socket, address(77));
      ControlSocket.receive(socket, ANSWER_BYTES, "an answer");
      ControlSocket.send(socket, ByteBuffer.allocate(CONFIRM_BYTES).putInt(MAGIC));
      assertEquals(MAGIC, ControlSocket.receive(socket, CONFIRM_BYTES, "MAGIC").getInt());
      ControlSocket.send(socket, ByteBuffer.allocate(1).put((byte) 1));
      assertEnds(socket);
      assertEquals(1, admission.counters().dropped());
      assertEquals(1, server.counters().connections());
    }
  }

  @Test
  void aFullServerRefusesUntilAConnectionEnds() throws Exception {
    Admission admission = Admission.open(new ConnectionLimits(1, 4, LONG_MS, LONG_MS));
    try (ServerEndpoint server = listen(admission);
        ClientEndpoint client = verbs.provider().openClient()) {
      Connection only = client.connect(server.address(), LONG_MS);
      ConnectFailedException e =
          assertThrows(
              ConnectFailedException.class, () -> client.connect(server.address(), LONG_MS));
      assertTrue(e.isLater());
      assertTrue(e.getMessage().contains("max-connections"), e.getMessage());
      only.close();
      while (admission.counters().open() > 0) {
        Thread.onSpinWait();
      }
      client.connect(server.address(), LONG_MS).close();
    }
  }
}
