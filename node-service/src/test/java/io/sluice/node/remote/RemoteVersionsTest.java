package io.sluice.node.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.socket.Refusals;
import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.wire.Acceptor;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.DeadlineChannel;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.Listener;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.node.wire.Versions;
import io.sluice.node.wire.Versions.AgreedVersion;
import io.sluice.rdma.transport.ConnectionLimits;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Readers and services of several releases, and somebody between them who wants an older one. */
@Timeout(300)
class RemoteVersionsTest {
  private static final long TIMEOUT_MS = 120_000;
  private static final String APP = "application_1_0001";
  private static final JobSecret SECRET =
      new JobSecret("secret".getBytes(StandardCharsets.US_ASCII));
  private static final Versions SERVICE = new Versions(14, 16);

  private final StubBackend backend = new StubBackend();
  private final Refusals refusals = new Refusals();
  private RemoteServer server;

  @BeforeEach
  void start() throws IOException {
    backend.secrets.put(APP, SECRET);
    server =
        RemoteServer.start(
            backend,
            SERVICE,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            refusals,
            ConnectionLimits.DEFAULT);
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private InetSocketAddress address() throws IOException {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
  }

  private static RemoteClient connect(InetSocketAddress address, Versions versions)
      throws IOException {
    return RemoteClient.connect(address, versions, APP, SECRET, TIMEOUT_MS);
  }

  @ParameterizedTest
  @CsvSource({"14, 14", "9, 15", "16, 16", "16, 99", "1, 99"})
  void aReaderThatHasAVersionInCommonIsServed(int oldest, int newest) throws IOException {
    try (RemoteClient client = connect(address(), new Versions(oldest, newest))) {
      assertEquals(backend.poolId, client.poolId());
    }
  }

  @ParameterizedTest
  @CsvSource({"13, 13, 14 to 16, 13", "17, 20, 16, 17 to 20"})
  void aReaderThatHasNoneSaysThatTheServiceIsOfAnotherRelease(
      int oldest, int newest, String services, String own) {
    ProtocolException e =
        assertThrows(
            ProtocolException.class, () -> connect(address(), new Versions(oldest, newest)));
    String expected =
        "is of another release of Sluice: it speaks version %s of the protocol, this program speaks %s"
            .formatted(services, own);
    assertTrue(e.getMessage().endsWith(expected), e.getMessage());
  }

  /** The proof of a reader that says these numbers; all of them are part of it. */
  private static void prove(Frames frames, Versions own, int chosen) throws IOException {
    RemoteProtocol.Challenge challenge =
        RemoteProtocol.receiveChallenge(frames, new Versions(0, 99), TIMEOUT_MS);
    assertEquals(SERVICE, challenge.versions());
    byte[] nonce = new byte[JobSecret.NONCE_BYTES];
    AgreedVersion version = new AgreedVersion(challenge.versions(), own, chosen);
    frames.send(
        RemoteProtocol.PROOF,
        out -> {
          out.writeShort(chosen);
          own.write(out);
          Bounded.writeString(out, APP);
          Bounded.writeBytes(out, nonce);
          Bounded.writeBytes(out, SECRET.clientProof(challenge.serverNonce(), nonce, APP, version));
        },
        TIMEOUT_MS);
  }

  @ParameterizedTest
  @ValueSource(ints = {14, 15, 16})
  void theServiceTakesEachVersionThatItSpeaks(int chosen) throws IOException {
    try (DeadlineChannel channel = DeadlineChannel.connect(address(), TIMEOUT_MS)) {
      Frames frames = new Frames(channel);
      prove(frames, new Versions(1, 99), chosen);
      Replies.receive(frames, TIMEOUT_MS);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {13, 17})
  void theServiceCutsOffWhoChoosesAnother(int chosen) throws IOException {
    try (DeadlineChannel channel = DeadlineChannel.connect(address(), TIMEOUT_MS)) {
      Frames frames = new Frames(channel);
      prove(frames, new Versions(1, 99), chosen);
      assertThrows(EOFException.class, () -> Replies.receive(frames, TIMEOUT_MS));
    }
  }

  @Test
  void aProbeIsAnsweredInEachVersion() throws IOException {
    for (int version = SERVICE.oldest(); version <= SERVICE.newest(); version++) {
      int chosen = version;
      try (DeadlineChannel channel = DeadlineChannel.connect(address(), TIMEOUT_MS)) {
        Frames frames = new Frames(channel);
        frames.receive(TIMEOUT_MS, TIMEOUT_MS);
        frames.send(RemoteProtocol.PROBE, out -> out.writeShort(chosen), TIMEOUT_MS);
        Replies.receive(frames, TIMEOUT_MS);
      }
    }
  }

  /** Where the numbers are in the two messages that carry them. */
  enum Lie {
    NONE(-1, 0),
    NEWEST_OF_THE_SERVICE(RemoteProtocol.CHALLENGE, 4),
    OLDEST_OF_THE_SERVICE(RemoteProtocol.CHALLENGE, 6),
    CHOSEN(RemoteProtocol.PROOF, 0),
    NEWEST_OF_THE_READER(RemoteProtocol.PROOF, 2),
    OLDEST_OF_THE_READER(RemoteProtocol.PROOF, 4);

    private final int type;
    private final int offset;

    Lie(int type, int offset) {
      this.type = type;
      this.offset = offset;
    }

    /** Passes a message on, with a number that is lower by one if it is this lie's. */
    private void pass(Frames from, Frames to) throws IOException {
      Frames.Frame frame = from.receive(TIMEOUT_MS, TIMEOUT_MS);
      byte[] payload = frame.in().readAllBytes();
      if (frame.type() == type) {
        ByteBuffer numbers = ByteBuffer.wrap(payload);
        numbers.putShort(offset, (short) (numbers.getShort(offset) - 1));
      }
      to.send(frame.type(), out -> out.write(payload), TIMEOUT_MS);
    }
  }

  /** Somebody on the way who changes a number. */
  private final class Between implements Closeable {
    private final ServerSocketChannel listener =
        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    private final Acceptor acceptor;

    Between(Lie lie) throws IOException {
      acceptor =
          new Acceptor(
              "sluice-between",
              new Listener.OfChannel(listener),
              ConnectionLimits.DEFAULT,
              (reader, peer) -> {
                peer.authenticated(null);
                try (DeadlineChannel service = DeadlineChannel.connect(address(), TIMEOUT_MS)) {
                  lie.pass(new Frames(service), new Frames(reader));
                  lie.pass(new Frames(reader), new Frames(service));
                  lie.pass(new Frames(service), new Frames(reader));
                  reader.readFully(ByteBuffer.allocate(1), MessageStream.NO_TIMEOUT);
                }
              });
    }

    InetSocketAddress listens() throws IOException {
      return (InetSocketAddress) listener.getLocalAddress();
    }

    @Override
    public void close() throws IOException {
      acceptor.close();
    }
  }

  /** Each lie leaves numbers in common, so that only the proof can tell. */
  @ParameterizedTest
  @EnumSource
  void nobodyBetweenCanLowerAVersion(Lie lie) throws IOException {
    Versions reader = new Versions(14, 16);
    try (Between between = new Between(lie)) {
      if (lie == Lie.NONE) {
        connect(between.listens(), reader).close();
        return;
      }
      RemoteError e = assertThrows(RemoteError.class, () -> connect(between.listens(), reader));
      assertEquals(RemoteError.Code.REFUSED, e.code());
    }
    assertEquals(1L, refusals.counts().get(RefusalKind.WRONG_SECRET));
  }

  /** A service by hand, of which only the first message is wanted. */
  @ParameterizedTest
  @CsvSource({"14, 16, 16", "10, 15, 15", "15, 30, 18"})
  void aReaderChoosesTheHighestOfBoth(int oldest, int newest, int chosen) throws IOException {
    Versions service = new Versions(oldest, newest);
    int[] said = new int[3];
    ServerSocketChannel listener =
        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Acceptor byHand =
        new Acceptor(
            "sluice-by-hand",
            new Listener.OfChannel(listener),
            ConnectionLimits.DEFAULT,
            (stream, peer) -> {
              Frames frames = new Frames(stream);
              frames.send(
                  RemoteProtocol.CHALLENGE,
                  out -> {
                    out.writeInt(RemoteProtocol.MAGIC);
                    service.write(out);
                    Bounded.writeBytes(out, new byte[JobSecret.NONCE_BYTES]);
                  },
                  TIMEOUT_MS);
              DataInputStream proof = frames.receive(TIMEOUT_MS, TIMEOUT_MS).in();
              for (int i = 0; i < said.length; i++) {
                said[i] = proof.readUnsignedShort();
              }
              Replies.sendError(frames, RemoteError.Code.REFUSED, "enough", TIMEOUT_MS);
            });
    try (byHand) {
      InetSocketAddress at = (InetSocketAddress) listener.getLocalAddress();
      assertThrows(RemoteError.class, () -> connect(at, new Versions(13, 18)));
    }
    assertEquals(chosen, said[0]);
    assertEquals(18, said[1]);
    assertEquals(13, said[2]);
  }
}
