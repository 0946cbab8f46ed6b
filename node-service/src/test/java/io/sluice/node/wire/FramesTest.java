package io.sluice.node.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class FramesTest {
  private static final long TIMEOUT_MS = ChannelPair.TIMEOUT_MS;

  @TempDir Path directory;
  private ChannelPair pair;
  private Frames frames;

  @BeforeEach
  void connect() throws IOException {
    pair = ChannelPair.connect(ChannelPair.unixListener(directory, 1));
    frames = new Frames(pair.ours());
  }

  @AfterEach
  void disconnect() throws IOException {
    pair.close();
  }

  private void peerSends(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      pair.peer().write(bytes);
    }
  }

  private static ByteBuffer message(int announcedBytes, byte... body) {
    return ByteBuffer.allocate(4 + body.length).putInt(announcedBytes).put(body).flip();
  }

  @Test
  void carriesTypeAndPayload() throws IOException {
    frames.send(200, out -> out.writeUTF("payload"), TIMEOUT_MS);
    ByteBuffer sent = ByteBuffer.allocate(14);
    while (sent.hasRemaining()) {
      pair.peer().read(sent);
    }
    peerSends(sent.flip());
    Frames.Frame frame = frames.receive(TIMEOUT_MS, TIMEOUT_MS);
    assertEquals(200, frame.type());
    assertEquals("payload", frame.in().readUTF());
    assertEquals(-1, frame.in().read());
  }

  /** The JDK would keep a copy as long as the longest frame, for each thread that sends. */
  @Test
  void aLongMessageLeavesNoCopyOutsideTheHeap() throws Exception {
    BufferPoolMXBean direct =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .findFirst()
            .orElseThrow();
    byte[] payload = new byte[2 << 20];
    ByteBuffer received = ByteBuffer.allocateDirect(payload.length + 5);
    CompletableFuture<Long> grewBytes = new CompletableFuture<>();
    try (ChannelPair tcp = ChannelPair.connect(ChannelPair.tcpListener(1))) {
      Thread sender =
          new Thread(
              () -> {
                long beforeBytes = direct.getMemoryUsed();
                try {
                  new Frames(tcp.ours()).send(1, out -> out.write(payload), TIMEOUT_MS);
                  grewBytes.complete(direct.getMemoryUsed() - beforeBytes);
                } catch (IOException e) {
                  grewBytes.completeExceptionally(e);
                }
              });
      sender.start();
      while (received.hasRemaining()) {
        tcp.peer().read(received);
      }
      long bytes = grewBytes.get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
      assertTrue(bytes <= 64 << 10, bytes + " bytes");
      sender.join();
    }
  }

  @Test
  void carriesAMessageWithoutPayload() throws IOException {
    peerSends(message(1, (byte) 7));
    Frames.Frame frame = frames.receive(TIMEOUT_MS, TIMEOUT_MS);
    assertEquals(7, frame.type());
    assertArrayEquals(new byte[0], frame.in().readAllBytes());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, Frames.MAX_FRAME_BYTES + 1})
  void refusesAnImpossibleLength(int announcedBytes) throws IOException {
    peerSends(message(announcedBytes));
    ProtocolException e =
        assertThrows(ProtocolException.class, () -> frames.receive(TIMEOUT_MS, TIMEOUT_MS));
    assertTrue(e.getMessage().contains(" " + announcedBytes + " bytes"), e.getMessage());
    assertTrue(e.getMessage().contains("" + Frames.MAX_FRAME_BYTES), e.getMessage());
  }

  @Test
  void allocatesLittleForAPeerThatHasProvenNothing() throws IOException {
    peerSends(message(Frames.MAX_SHORT_BYTES + 1));
    assertThrows(ProtocolException.class, () -> frames.receiveHello(TIMEOUT_MS));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void aStreamCutInTheLengthIsNoMessage(int arrivingBytes) throws IOException {
    peerSends(message(9).limit(arrivingBytes));
    pair.peer().close();
    assertThrows(EOFException.class, () -> frames.receive(TIMEOUT_MS, TIMEOUT_MS));
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 5, 12})
  void aStreamCutInTheBodyIsNoMessage(int arrivingBytes) throws IOException {
    peerSends(message(9, new byte[9]).limit(arrivingBytes));
    pair.peer().close();
    assertThrows(EOFException.class, () -> frames.receive(TIMEOUT_MS, TIMEOUT_MS));
  }

  @Test
  void aMessageThatStopsHalfwayRunsIntoTheDeadline() throws IOException {
    peerSends(message(9, new byte[8]));
    assertThrows(SocketTimeoutException.class, () -> frames.receive(MessageStream.NO_TIMEOUT, 50));
  }

  @Test
  void sendsNothingOfAMessageThatIsTooLong() throws IOException {
    byte[] tooMuch = new byte[Frames.MAX_FRAME_BYTES];
    assertThrows(
        ProtocolException.class, () -> frames.send(1, out -> out.write(tooMuch), TIMEOUT_MS));
    frames.send(2, out -> {}, TIMEOUT_MS);
    ByteBuffer arrived = ByteBuffer.allocate(5);
    while (arrived.hasRemaining()) {
      pair.peer().read(arrived);
    }
    assertEquals(message(1, (byte) 2), arrived.flip());
  }

  /** Says how long it is. */
  private record Announced(int announced, byte[] payload) implements Frames.Payload {
    @Override
    public void writeTo(DataOutputStream out) throws IOException {
      out.write(payload);
    }

    @Override
    public OptionalInt announcedBytes() {
      return OptionalInt.of(announced);
    }
  }

  /** Else a peer that receives slowly keeps as much of the heap as the longest message. */
  @Test
  void aMessageOfAnnouncedLengthIsSentWhileItIsWritten() throws IOException {
    for (int lengthBytes :
        new int[] {
          0,
          SentFrame.CHUNK_BYTES,
          SentFrame.CHUNK_BYTES + 1,
          3 * SentFrame.CHUNK_BYTES,
          Frames.MAX_PAYLOAD_BYTES
        }) {
      byte[] payload = new byte[lengthBytes];
      new Random(1).nextBytes(payload);
      RecordingStream recording = new RecordingStream();
      new Frames(recording).send(9, new Announced(lengthBytes, payload), TIMEOUT_MS);
      ByteBuffer sent = ByteBuffer.wrap(recording.sent.toByteArray());
      assertEquals(message(lengthBytes + 1, (byte) 9), sent.slice(0, 5));
      assertEquals(ByteBuffer.wrap(payload), sent.slice(5, sent.capacity() - 5));
      assertTrue(
          recording.longestBytes <= SentFrame.CHUNK_BYTES,
          recording.longestBytes + " bytes at a time");
    }
  }

  /** The peer has no whole message then, and the connection ends. */
  @Test
  void aMessageOfAnotherLengthThanAnnouncedIsNotWhole() {
    int announced = 3 * SentFrame.CHUNK_BYTES;
    for (int lengthBytes : new int[] {announced + 1, announced - 1}) {
      RecordingStream recording = new RecordingStream();
      Frames.Payload changed = new Announced(announced, new byte[lengthBytes]);
      IOException e =
          assertThrows(IOException.class, () -> new Frames(recording).send(9, changed, TIMEOUT_MS));
      assertTrue(e.getMessage().contains("changed"), e.getMessage());
      assertTrue(recording.sent.size() < announced + 5, recording.sent.size() + " bytes");
    }
  }

  /** A peer that has nothing yet would not know that there was an answer. */
  @Test
  void aMessageThatFailsAtOnceHasBegunForThePeer() {
    RecordingStream recording = new RecordingStream();
    Frames.Payload failing = new Announced(100, new byte[0]);
    assertThrows(IOException.class, () -> new Frames(recording).send(9, failing, TIMEOUT_MS));
    assertEquals(message(101, (byte) 9), ByteBuffer.wrap(recording.sent.toByteArray()));
  }

  @Test
  void aMessageHasBegunWithItsFirstByte() throws IOException {
    assertFalse(frames.hasBegun());
    peerSends(message(9, new byte[9]).limit(1));
    pair.peer().close();
    assertThrows(EOFException.class, () -> frames.receive(TIMEOUT_MS, TIMEOUT_MS));
    assertTrue(frames.hasBegun());
    assertThrows(EOFException.class, () -> frames.receive(TIMEOUT_MS, TIMEOUT_MS));
    assertFalse(frames.hasBegun(), "nothing of the next one");
  }

  /** The defect was: a millisecond more was given to each part, however late it came. */
  @Test
  void aMessageThatIsNotWrittenInTimeEnds() {
    Frames.Payload late = new Announced(10, new byte[10]);
    assertThrows(
        SocketTimeoutException.class, () -> new Frames(new RecordingStream()).send(9, late, 0));
  }

  /** The defect was: all of it was written before anybody looked how much that is. */
  @Test
  void aMessageIsRefusedAsSoonAsItIsTooLong() {
    RecordingStream recording = new RecordingStream();
    Frames.Payload endless =
        out -> {
          while (true) {
            out.write(new byte[1 << 20]);
          }
        };
    Frames.Payload announced = new Announced(Frames.MAX_FRAME_BYTES, new byte[0]);
    for (Frames.Payload payload : List.of(endless, announced)) {
      ProtocolException e =
          assertThrows(
              ProtocolException.class, () -> new Frames(recording).send(9, payload, TIMEOUT_MS));
      assertTrue(e.getMessage().contains("exceeds the limit"), e.getMessage());
    }
    assertEquals(0, recording.sent.size());
  }

  /** Keeps what is sent. */
  private static final class RecordingStream implements MessageStream {
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private int longestBytes;

    @Override
    public String peer() {
      return "peer";
    }

    @Override
    public Optional<InetAddress> peerAddress() {
      return Optional.empty();
    }

    @Override
    public String peerUser() {
      return "user";
    }

    @Override
    public void readFully(ByteBuffer dst, long timeoutMs) throws IOException {
      throw new EOFException("nobody answers");
    }

    @Override
    public void writeFully(ByteBuffer src, long timeoutMs) {
      longestBytes = Math.max(longestBytes, src.remaining());
      byte[] bytes = new byte[src.remaining()];
      src.get(bytes);
      sent.writeBytes(bytes);
    }

    @Override
    public void close() {}
  }

  @Test
  void anAnswerIsOfAKnownKind() throws IOException {
    peerSends(message(1, (byte) 77));
    ProtocolException e =
        assertThrows(ProtocolException.class, () -> Replies.receive(frames, TIMEOUT_MS));
    assertTrue(e.getMessage().contains("type 77"), e.getMessage());
  }

  @Test
  void aRefusalArrivesWithItsReason() throws IOException {
    Replies.sendError(frames, RemoteError.Code.FULL, "é".repeat(5000), TIMEOUT_MS);
    ByteBuffer sent = ByteBuffer.allocate(8 << 10);
    pair.peer().read(sent);
    peerSends(sent.flip());
    RemoteError e = assertThrows(RemoteError.class, () -> Replies.receive(frames, TIMEOUT_MS));
    assertEquals(RemoteError.Code.FULL, e.code());
    assertEquals("é".repeat(1000), e.getMessage());
  }

  @Test
  void aRefusalOfALaterReleaseIsStillOne() throws IOException {
    peerSends(
        message(
            7,
            (byte) Replies.ERROR,
            (byte) 200,
            (byte) 0,
            (byte) 0,
            (byte) 0,
            (byte) 1,
            (byte) 'x'));
    RemoteError e = assertThrows(RemoteError.class, () -> Replies.receive(frames, TIMEOUT_MS));
    assertEquals(RemoteError.Code.INTERNAL, e.code());
  }
}
