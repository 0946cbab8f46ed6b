package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.rdma.unix.UnixListener;
import io.sluice.rdma.unix.UnixSocket;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.OpenFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What tasks are sent and do not receive, over real sockets. */
@Timeout(300)
class InFlightDescriptorsTest {
  private static final Owner ANN = new Owner(1);
  private static final Owner BOB = new Owner(2);
  private static final int MOST = 2;

  @TempDir Path directory;
  private final List<Closeable> sockets = new ArrayList<>();
  private final InFlightDescriptors inFlight = new InFlightDescriptors(MOST);
  private Path file;

  private final class Pair {
    private final UnixSocket service;
    private final UnixSocket task;
    private final InFlightDescriptors.Connection connection;

    Pair(Owner owner) throws IOException {
      Path path = directory.resolve("s");
      try (UnixListener listener = UnixListener.bind(path, 1)) {
        task = UnixSocket.connect(path, UnixSocket.Interrupts.END_IT, Long.MAX_VALUE);
        service = listener.accept();
      } finally {
        Files.deleteIfExists(path);
      }
      sockets.addAll(List.of(task, service));
      connection = inFlight.open(owner, service.sentQueue());
    }

    boolean send() throws IOException {
      if (!connection.add(1)) {
        return false;
      }
      try (Descriptor descriptor = Descriptor.open(file, false)) {
        ByteBuffer answer = ByteBuffer.wrap(new byte[] {1, 2, 3});
        while (answer.hasRemaining()) {
          service.send(answer, List.of(descriptor), Long.MAX_VALUE);
        }
      }
      return true;
    }

    void receive() throws IOException {
      List<Descriptor> received = new ArrayList<>();
      ByteBuffer answer = ByteBuffer.allocate(3);
      while (answer.hasRemaining()) {
        task.receive(answer, received, Long.MAX_VALUE);
      }
      Closer.all(received);
    }
  }

  @BeforeEach
  void createFile() throws IOException {
    file = Files.createFile(directory.resolve("file"));
  }

  @AfterEach
  void nothingStaysOpen() throws IOException {
    Closer.all(sockets);
    inFlight.close();
    assertEquals(0, OpenFiles.below(directory));
  }

  @Test
  void aUserHasAShareAndTheOthersTheirs() throws IOException {
    Pair first = new Pair(ANN);
    Pair second = new Pair(ANN);
    Pair third = new Pair(ANN);
    assertTrue(first.send() && second.send());
    assertFalse(third.send());
    assertEquals(MOST, inFlight.filesOf(ANN));
    assertTrue(new Pair(BOB).send());
    first.receive();
    assertTrue(third.send());
    assertFalse(new Pair(ANN).send());
  }

  @Test
  void anEndedConnectionCountsUntilItsTaskHasReceivedOrIsGone() throws IOException {
    Pair first = new Pair(ANN);
    Pair second = new Pair(ANN);
    assertTrue(first.send() && second.send());
    for (Pair each : List.of(first, second)) {
      each.connection.close();
      each.service.close();
    }
    Pair third = new Pair(ANN);
    assertFalse(third.send());
    first.receive();
    assertEquals(-1, first.task.receive(ByteBuffer.allocate(1), Long.MAX_VALUE), "it sees the end");
    assertTrue(third.send());
    assertFalse(new Pair(ANN).send());
    second.task.close();
    assertTrue(new Pair(ANN).send());
  }

  @Test
  void whatWasNotSentDoesNotCount() throws IOException {
    Pair first = new Pair(ANN);
    assertTrue(first.connection.add(MOST));
    first.connection.takeBack();
    assertEquals(0, inFlight.filesOf(ANN));
    assertTrue(new Pair(ANN).connection.add(MOST));
  }
}
