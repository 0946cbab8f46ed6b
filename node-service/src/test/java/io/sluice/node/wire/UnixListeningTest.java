package io.sluice.node.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.unix.UnixListener;
import io.sluice.rdma.unix.UnixSocket;
import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An acceptor over sockets of system calls, whatever its peers' are of. */
@Timeout(300)
class UnixListeningTest {
  private static final long TIMEOUT_MS = ChannelPair.TIMEOUT_MS;

  @TempDir Path directory;

  private static void echo(MessageStream stream, Acceptor.Peer peer) throws IOException {
    while (peer.authenticated(null)) {
      ByteBuffer bytes = ByteBuffer.allocate(1);
      stream.readFully(bytes, MessageStream.NO_TIMEOUT);
      stream.writeFully(bytes.flip(), TIMEOUT_MS);
      stream.readFully(bytes.clear(), MessageStream.NO_TIMEOUT);
    }
  }

  @Test
  void peersAreServedUntilItIsClosed() throws Exception {
    LeakCheck leaks = new LeakCheck();
    int openSockets = OpenSockets.count();
    Path path = directory.resolve("s");
    Acceptor acceptor =
        new Acceptor(
            "sluice-test",
            new Listener.OfSocket(UnixListener.bind(path, 50)),
            ConnectionLimits.DEFAULT,
            UnixListeningTest::echo);
    List<MessageStream> peers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      peers.add(
          i % 2 == 0
              ? UnixStream.connect(path, UnixSocket.Interrupts.END_IT, TIMEOUT_MS)
              : DeadlineChannel.connect(UnixDomainSocketAddress.of(path), TIMEOUT_MS));
      peers.get(i).writeFully(ByteBuffer.wrap(new byte[] {(byte) i}), TIMEOUT_MS);
      ByteBuffer answer = ByteBuffer.allocate(1);
      peers.get(i).readFully(answer, TIMEOUT_MS);
      assertEquals(i, answer.get(0));
    }
    acceptor.close();
    for (MessageStream peer : peers) {
      assertThrows(EOFException.class, () -> peer.readFully(ByteBuffer.allocate(1), TIMEOUT_MS));
      peer.close();
    }
    leaks.check();
    assertEquals(openSockets, OpenSockets.count());
  }
}
