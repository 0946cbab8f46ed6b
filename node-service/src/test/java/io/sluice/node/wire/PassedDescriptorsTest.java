package io.sluice.node.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.unix.UnixListener;
import io.sluice.rdma.unix.UnixSocket;
import io.sluice.spill.store.OpenFiles;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Open files that ride on messages: in their order, none lost, none left open. */
@Timeout(300)
class PassedDescriptorsTest {
  private static final long TIMEOUT_MS = ChannelPair.TIMEOUT_MS;

  @TempDir Path directory;
  private final List<Descriptor> passed = new ArrayList<>();
  private LeakCheck leaks;
  private MessageStream ours;
  private MessageStream peer;

  @BeforeEach
  void connect() throws IOException {
    open();
    Closer.all(ours, peer);
    leaks = new LeakCheck();
    open();
  }

  private void open() throws IOException {
    Path path = directory.resolve("s");
    try (Listener listener = new Listener.OfSocket(UnixListener.bind(path, 1))) {
      ours = UnixStream.connect(path, UnixSocket.Interrupts.END_IT, TIMEOUT_MS);
      peer = listener.accept();
    }
    assertInstanceOf(UnixStream.class, peer);
    Files.delete(path);
  }

  @AfterEach
  void checkThatNoneIsOpen() throws Exception {
    Closer.all(ours, peer);
    Closer.all(passed);
    assertEquals(0, OpenFiles.below(directory), "open files in the end");
    leaks.check();
  }

  /** Files of the lengths 1, 2, 3 and so on. */
  private List<Descriptor> files(int count) throws IOException {
    List<Descriptor> files = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Path file = Files.write(directory.resolve("file" + passed.size()), new byte[i + 1]);
      files.add(Descriptor.open(file, false));
      passed.add(files.get(i));
    }
    return files;
  }

  private static void assertFiles(int count, List<Descriptor> received) throws IOException {
    try {
      List<Long> lengths = new ArrayList<>();
      List<Long> expected = new ArrayList<>();
      for (Descriptor file : received) {
        lengths.add(Files.size(file.self()));
        expected.add(expected.size() + 1L);
      }
      assertEquals(expected, lengths);
      assertEquals(count, received.size());
    } finally {
      Closer.all(received);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 15, 16})
  void asManyAsWereSentArriveInTheirOrder(int count) throws IOException {
    Frames from = new Frames(peer);
    Frames to = new Frames(ours);
    from.send(1, out -> out.writeUTF("with files"), files(count), TIMEOUT_MS);
    List<Descriptor> received = new ArrayList<>();
    Frames.Frame frame = to.receive(received, TIMEOUT_MS);
    assertEquals("with files", frame.in().readUTF());
    assertFiles(count, received);
  }

  @Test
  void theyStayWithTheirMessage() throws IOException {
    Random random = TestSeed.random();
    Frames from = new Frames(peer);
    Frames to = new Frames(ours);
    for (int round = 0; round < 50; round++) {
      List<Integer> counts = new ArrayList<>(); // all under way before the first is received
      for (int i = 0; i < 5; i++) {
        int count = random.nextInt(4);
        byte[] payload = new byte[random.nextInt(20_000)];
        counts.add(count);
        from.send(7, out -> out.write(payload), files(count), TIMEOUT_MS);
      }
      for (int count : counts) {
        List<Descriptor> received = new ArrayList<>();
        to.receive(received, TIMEOUT_MS);
        assertFiles(count, received);
      }
      Closer.all(passed);
      passed.clear();
    }
  }

  @Test
  void theyComeWithTheFirstByteHoweverSlowlyItIsRead() throws IOException {
    peer.writeFully(ByteBuffer.allocate(3), TIMEOUT_MS);
    peer.writeFully(ByteBuffer.allocate(3), files(2), TIMEOUT_MS);
    for (int i = 0; i < 6; i++) {
      List<Descriptor> received = ours.readWithDescriptors(ByteBuffer.allocate(1), TIMEOUT_MS);
      assertFiles(i == 3 ? 2 : 0, received);
    }
  }

  @Test
  void aPeerThatPassesSomeUnaskedIsRefusedAndNoneStaysOpen() throws IOException {
    peer.writeFully(ByteBuffer.allocate(5), files(3), TIMEOUT_MS);
    ProtocolException e =
        assertThrows(
            ProtocolException.class, () -> new Frames(ours).receive(TIMEOUT_MS, TIMEOUT_MS));
    assertTrue(e.getMessage().contains("not expected"), e.getMessage());
    assertEquals(3, OpenFiles.below(directory), "those that the peer sent, which are its own");
  }

  @Test
  void whatCameBeforeAFailureIsClosed() throws IOException {
    peer.writeFully(ByteBuffer.allocate(1), files(2), TIMEOUT_MS);
    assertThrows(
        SocketTimeoutException.class, () -> ours.readWithDescriptors(ByteBuffer.allocate(2), 50));
    assertEquals(2, OpenFiles.below(directory), "those that the peer sent, which are its own");
  }

  @Test
  void thoseThatNobodyReceivesGoWithTheSocket() throws IOException {
    peer.writeFully(ByteBuffer.allocate(1), files(2), TIMEOUT_MS);
    ours.close();
  }

  @Test
  void theirUserIsKnown() throws IOException {
    int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    assertEquals(uid, ours.credentials().orElseThrow().uid());
    assertEquals(Files.getOwner(Path.of("/proc/self")).getName(), peer.peerUser());
  }

  @Test
  void aSocketOfTheJdkPassesNone() throws IOException {
    try (ChannelPair pair = ChannelPair.connect(ChannelPair.unixListener(directory, 1))) {
      IOException e =
          assertThrows(
              IOException.class,
              () -> pair.ours().writeFully(ByteBuffer.allocate(1), files(1), TIMEOUT_MS));
      assertTrue(e.getMessage().contains("no file can be passed"), e.getMessage());
    }
  }
}
