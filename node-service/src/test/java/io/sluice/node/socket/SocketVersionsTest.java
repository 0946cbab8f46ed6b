package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.socket.SocketClient.SegmentAccess;
import io.sluice.node.testing.SeenFromElsewhere;
import io.sluice.node.wire.Acceptor;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.DeadlineChannel;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.Listener;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.node.wire.Timeouts;
import io.sluice.node.wire.Versions;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.spill.memory.Borrower;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks of several releases in front of a service that speaks three versions. */
class SocketVersionsTest extends SocketServerTestBase {
  private static final Versions SERVICE = new Versions(15, 17);

  @Override
  Versions versions() {
    return SERVICE;
  }

  private SocketClient connect(Path socket, Versions task) throws IOException {
    return SocketClient.connect(
        socket,
        SeenFromElsewhere.owner(access()),
        task,
        Borrower.PROCESS,
        APP,
        SECRET,
        Timeouts.all(TIMEOUT_MS));
  }

  @ParameterizedTest
  @CsvSource({"15, 15", "9, 16", "17, 17", "17, 99", "1, 99"})
  void aTaskThatHasAVersionInCommonIsServedAndListens(int oldest, int newest) throws IOException {
    try (SocketClient client = connect(socket(), new Versions(oldest, newest))) {
      assertEquals(1, client.lease(1).size());
      client.listen().close();
    }
  }

  @ParameterizedTest
  @CsvSource({"14, 14, 14", "18, 20, 18 to 20"})
  void aTaskThatHasNoneIsToldThatItIsOfAnotherRelease(int oldest, int newest, String shown) {
    RemoteError e =
        assertThrows(RemoteError.class, () -> connect(socket(), new Versions(oldest, newest)));
    assertEquals(RemoteError.Code.BAD_REQUEST, e.code());
    String expected =
        "the task is of another release of Sluice: it speaks version %s of the protocol, this service speaks %s"
            .formatted(shown, SERVICE);
    assertTrue(e.getMessage().contains(expected), e.getMessage());
  }

  /** What a service answers a task first. */
  private static int answered(Path socket, int type, Versions task, long generation)
      throws IOException {
    try (DeadlineChannel channel =
        DeadlineChannel.connect(UnixDomainSocketAddress.of(socket), TIMEOUT_MS)) {
      Frames frames = new Frames(channel);
      frames.send(
          type,
          out -> {
            task.write(out);
            Bounded.writeString(out, APP);
            Bounded.writeBytes(out, SECRET.bytes());
            if (type == SocketProtocol.LISTEN) {
              out.writeLong(generation);
            } else {
              SocketProtocol.writeAccess(out, SegmentAccess.NAMES);
              SocketProtocol.writeBorrower(out, Borrower.PROCESS);
            }
          },
          TIMEOUT_MS);
      return Replies.receive(frames, TIMEOUT_MS).readUnsignedShort();
    }
  }

  @ParameterizedTest
  @CsvSource({"15, 15, 15", "9, 16, 16", "16, 20, 17", "17, 17, 17"})
  void theServiceChoosesTheHighestOfBoth(int oldest, int newest, int chosen) throws IOException {
    Versions task = new Versions(oldest, newest);
    assertEquals(chosen, answered(socket(), SocketProtocol.HELLO, task, 0));
    try (SocketClient client = connect(APP)) {
      long generation = client.info().generation();
      client.lease(1);
      assertEquals(chosen, answered(socket(), SocketProtocol.LISTEN, task, generation));
    }
  }

  @Test
  void aRangeThatIsNoneIsRefused() throws IOException {
    try (DeadlineChannel channel =
        DeadlineChannel.connect(UnixDomainSocketAddress.of(socket()), TIMEOUT_MS)) {
      Frames frames = new Frames(channel);
      frames.send(SocketProtocol.HELLO, out -> out.writeInt(16 << 16 | 17), TIMEOUT_MS);
      RemoteError e = assertThrows(RemoteError.class, () -> Replies.receive(frames, TIMEOUT_MS));
      assertEquals(RemoteError.Code.BAD_REQUEST, e.code());
      assertTrue(e.getMessage().contains("versions from 17 to 16"), e.getMessage());
    }
  }

  /** A service that chooses what the task did not offer. */
  @ParameterizedTest
  @ValueSource(ints = {14, 18})
  void aChoiceThatATaskDoesNotSpeakIsRefused(int chosen) throws IOException {
    Path socket = directory.resolve("liar");
    Acceptor liar =
        new Acceptor(
            "sluice-liar",
            new Listener.OfChannel(
                ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                    .bind(UnixDomainSocketAddress.of(socket))),
            ConnectionLimits.DEFAULT,
            (stream, peer) -> {
              Frames frames = new Frames(stream);
              frames.receiveHello(TIMEOUT_MS);
              frames.send(Replies.OK, out -> out.writeShort(chosen), TIMEOUT_MS);
            });
    try (liar) {
      ProtocolException e = assertThrows(ProtocolException.class, () -> connect(socket, SERVICE));
      assertTrue(
          e.getMessage().contains("this node's service is of another release of Sluice"),
          e.getMessage());
    }
  }
}
