package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.socket.ClientSession.ServiceLink;
import io.sluice.node.socket.SocketClient.SegmentAccess;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.MessageStream;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.segment.Owner;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A task that runs out of memory while it greets its service leaves no open connection. */
class FailedGreetingTest {
  /** The step of the greeting that fails. */
  private enum Step {
    REQUEST,
    ANSWER
  }

  /** A connection on which one step fails with an error. */
  private static final class FailingStream implements MessageStream {
    private final Step failing;
    private final Error error = new OutOfMemoryError("of a test");
    private boolean closed;

    FailingStream(Step failing) {
      this.failing = failing;
    }

    @Override
    public String peer() {
      return "a service";
    }

    @Override
    public Optional<InetAddress> peerAddress() {
      return Optional.empty();
    }

    @Override
    public String peerUser() {
      return "nobody";
    }

    @Override
    public void readFully(ByteBuffer dst, long timeoutMs) {
      throw error;
    }

    @Override
    public void writeFully(ByteBuffer src, long timeoutMs) {
      if (failing == Step.REQUEST) {
        throw error;
      }
      src.position(src.limit());
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void anErrorClosesTheConnection(Step failing) throws Exception {
    FailingStream stream = new FailingStream(failing);
    ServiceLink link =
        new ServiceLink(Path.of("control.sock"), Owner.ofThisProcess(), SegmentAccess.NAMES);
    ClientSession.Hello hello =
        new ClientSession.Hello(
            SocketProtocol.VERSIONS, "application", new JobSecret(new byte[1]), Borrower.PROCESS);
    Error thrown =
        assertThrows(OutOfMemoryError.class, () -> ClientSession.open(stream, link, hello, 10_000));
    assertSame(stream.error, thrown);
    assertTrue(stream.closed);
  }
}
