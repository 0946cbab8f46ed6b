package io.sluice.node.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.wire.Acceptor;
import io.sluice.node.wire.Bounded;
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
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.LocatedRun.RunLocation;
import io.sluice.spill.format.Run;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.Range;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A reader in front of something that is not a well-behaved service. */
@Timeout(300)
class RemoteClientTest {
  private static final long TIMEOUT_MS = 120_000;
  private static final String APP = "application_1_0001";
  private static final JobSecret SECRET =
      new JobSecret("secret".getBytes(StandardCharsets.US_ASCII));

  private static final AgreedVersion VERSION =
      AgreedVersion.highest(RemoteProtocol.VERSIONS, RemoteProtocol.VERSIONS);

  private Acceptor impostor;

  @AfterEach
  void stop() throws IOException {
    impostor.close();
  }

  /** What the impostor says. */
  private interface Script {
    void serve(MessageStream channel) throws IOException;
  }

  private RemoteClient connect(long timeoutMs, Script script) throws IOException {
    ServerSocketChannel listener =
        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    impostor =
        new Acceptor(
            "sluice-impostor",
            new Listener.OfChannel(listener),
            ConnectionLimits.DEFAULT,
            (channel, peer) -> {
              peer.authenticated(null);
              script.serve(channel);
            });
    return RemoteClient.connect(
        (InetSocketAddress) listener.getLocalAddress(), APP, SECRET, timeoutMs);
  }

  private static void challenge(Frames frames, int magic, int version, byte[] nonce)
      throws IOException {
    frames.send(
        RemoteProtocol.CHALLENGE,
        out -> {
          out.writeInt(magic);
          new Versions(version, version).write(out);
          Bounded.writeBytes(out, nonce);
        },
        TIMEOUT_MS);
  }

  /** How an impostor, or a service, proves itself. */
  private interface Prover {
    byte[] proof(byte[] serverNonce, byte[] clientNonce, byte[] clientProof);
  }

  private static Frames authenticate(MessageStream channel, Prover prover) throws IOException {
    Frames frames = new Frames(channel);
    byte[] nonce = new byte[JobSecret.NONCE_BYTES];
    challenge(frames, RemoteProtocol.MAGIC, RemoteProtocol.VERSION, nonce);
    DataInputStream in = frames.receive(TIMEOUT_MS, TIMEOUT_MS).in();
    assertEquals(RemoteProtocol.VERSION, in.readUnsignedShort());
    RemoteProtocol.VERSIONS.readOf(in, "reader", "test");
    Bounded.readString(in);
    byte[] clientNonce = Bounded.readBytes(in, JobSecret.NONCE_BYTES);
    byte[] clientProof = Bounded.readBytes(in, RemoteProtocol.MAX_PROOF_BYTES);
    frames.send(
        Replies.OK,
        out -> {
          Bounded.writeBytes(out, prover.proof(nonce, clientNonce, clientProof));
          out.writeLong(1);
          out.writeLong(2);
          out.writeInt(0);
        },
        TIMEOUT_MS);
    return frames;
  }

  private void assertImpostorFound(Prover prover) {
    ProtocolException e =
        assertThrows(
            ProtocolException.class,
            () -> connect(TIMEOUT_MS, channel -> authenticate(channel, prover)));
    assertTrue(e.getMessage().contains("does not hold the secret of " + APP), e.getMessage());
  }

  @Test
  void anImpostorCannotReflectTheReadersProof() {
    assertImpostorFound((serverNonce, clientNonce, clientProof) -> clientProof);
  }

  @Test
  void anImpostorCannotGuess() {
    assertImpostorFound((serverNonce, clientNonce, clientProof) -> new byte[32]);
  }

  @Test
  void anImpostorCannotReplay() {
    byte[] oldNonce = new byte[JobSecret.NONCE_BYTES];
    assertImpostorFound(
        (serverNonce, clientNonce, proof) ->
            SECRET.serverProof(serverNonce, oldNonce, APP, VERSION));
  }

  @Test
  void anotherKindOfServerIsTold() {
    ProtocolException e =
        assertThrows(
            ProtocolException.class,
            () ->
                connect(
                    TIMEOUT_MS,
                    channel ->
                        channel.writeFully(
                            ByteBuffer.wrap("HTTP/1.1 400 Bad Request".getBytes()), TIMEOUT_MS)));
    assertTrue(e.getMessage().contains("127.0.0.1"), e.getMessage());
  }

  @Test
  void anotherMagicIsTold() {
    ProtocolException e =
        assertThrows(
            ProtocolException.class,
            () ->
                connect(TIMEOUT_MS, channel -> challenge(new Frames(channel), 1, 1, new byte[16])));
    assertTrue(e.getMessage().contains("is not a Sluice node service"), e.getMessage());
  }

  @Test
  void anotherVersionIsTold() {
    ProtocolException e =
        assertThrows(
            ProtocolException.class,
            () ->
                connect(
                    TIMEOUT_MS,
                    channel ->
                        challenge(new Frames(channel), RemoteProtocol.MAGIC, 99, new byte[16])));
    assertTrue(
        e.getMessage().contains("is of another release of Sluice: it speaks version 99"),
        e.getMessage());
  }

  @Test
  void aServerThatSaysNothingRunsIntoTheDeadline() {
    assertThrows(
        SocketTimeoutException.class,
        () ->
            connect(
                50,
                channel -> channel.readFully(ByteBuffer.allocate(1), MessageStream.NO_TIMEOUT)));
  }

  @Test
  void aServerThatGoesAwayIsNoticed() {
    RemoteError e = assertThrows(RemoteError.class, () -> connect(TIMEOUT_MS, channel -> {}));
    assertEquals(RemoteError.Code.BUSY, e.code());
    assertTrue(e.getMessage().contains("hangs up"), e.getMessage());
    assertTrue(e.getMessage().contains("max-unproved-connections"), e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "segments",
        "tier",
        "outputs",
        "runs",
        "ranges",
        "negative range",
        "short range",
        "long range",
        "negative generation",
        "partition",
        "first ordinal",
        "ordinal skipped",
        "ordinal twice",
        "negative ordinal",
        "negative length",
        "long chunks",
        "short bytes",
        "long bytes",
        "negative bytes",
        "cut"
      })
  void anImpossibleDescriptionIsAProtocolError(String what) throws IOException {
    try (RemoteClient client = answers(out -> describeBadly(out, what))) {
      assertThrows(
          ProtocolException.class,
          () ->
              client.describe(PartitionRange.one(0), List.of("attempt_0"), 0, PoolPaths.ELSEWHERE));
    }
  }

  @Test
  void whatIsPossibleIsRead() throws IOException {
    try (RemoteClient client = answers(out -> describeBadly(out, "nothing"))) {
      OutputLocations description =
          client.describe(PartitionRange.one(0), List.of("attempt_0"), 10, PoolPaths.ELSEWHERE);
      List<LocatedRun> runs = description.runs().get("attempt_0");
      RunLocation place =
          new RunLocation(new UUID(1, 2), 7, List.of(new Range(1, 0, 10))); // of the greeting
      for (int ordinal = 0; ordinal < 2; ordinal++) {
        Run run = new Run(0, ordinal, 10, 11, 0, 1, BlockChecksums.of(5));
        assertEquals(new LocatedRun(run, place), runs.get(ordinal));
      }
      assertEquals(1, description.inlined().size());
      assertEquals(10, description.inlined().get(runs.get(0)).length);
      assertEquals(2, runs.size());
    }
  }

  /** A service that proves itself and answers one question so. */
  private RemoteClient answers(Frames.Payload answer) throws IOException {
    return connect(
        TIMEOUT_MS,
        channel -> {
          Frames frames =
              authenticate(
                  channel,
                  (serverNonce, clientNonce, proof) ->
                      SECRET.serverProof(serverNonce, clientNonce, APP, VERSION));
          frames.receive(TIMEOUT_MS, TIMEOUT_MS);
          frames.send(Replies.OK, answer, TIMEOUT_MS);
          channel.readFully(ByteBuffer.allocate(1), TIMEOUT_MS);
        });
  }

  private static void describeBadly(DataOutputStream out, String what) throws IOException {
    if (what.equals("segments")) {
      out.writeInt(Integer.MAX_VALUE);
      return;
    }
    if (what.equals("tier")) {
      out.writeInt(1);
      out.writeInt(1);
      out.writeByte(9);
      return;
    }
    out.writeInt(0);
    out.writeInt(what.equals("outputs") ? Integer.MAX_VALUE : 1);
    Bounded.writeString(out, "attempt_0");
    out.writeLong(what.equals("negative generation") ? -1 : 7);
    out.writeInt(what.equals("runs") ? -1 : 2);
    if (what.equals("cut")) {
      return;
    }
    describeRun(out, what.equals("first ordinal") ? 1 : 0, what);
    int second =
        switch (what) {
          case "ordinal skipped" -> 2;
          case "ordinal twice" -> 0;
          case "negative ordinal" -> -1;
          default -> 1;
        };
    describeRun(out, second, what);
  }

  private static void describeRun(DataOutputStream out, int ordinal, String what)
      throws IOException {
    out.writeInt(what.equals("partition") ? 1 : 0);
    out.writeInt(ordinal);
    out.writeLong(what.equals("negative length") ? -10 : 10);
    out.writeLong(what.equals("long chunks") ? 19L << 56 | 11 : 11);
    out.writeLong(1);
    out.writeInt(5);
    out.writeInt(what.equals("ranges") ? Integer.MAX_VALUE : 1);
    out.writeInt(1);
    out.writeLong(what.equals("negative range") ? -1 : 0);
    out.writeLong(what.equals("short range") ? 9 : what.equals("long range") ? 11 : 10);
    int inlinedBytes =
        switch (what) {
          case "short bytes" -> 9;
          case "long bytes" -> 11;
          case "negative bytes" -> -1;
          default -> ordinal == 0 ? 10 : 0;
        };
    out.writeInt(inlinedBytes);
    out.write(new byte[Math.max(0, inlinedBytes)]);
  }
}
