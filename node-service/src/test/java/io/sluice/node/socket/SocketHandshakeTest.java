package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.socket.SocketClient.SegmentAccess;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.DeadlineChannel;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.node.wire.Versions;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.segment.Owner;
import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What may come from somebody who is not a well-behaved task. */
class SocketHandshakeTest extends SocketServerTestBase {
  private final CountDownLatch registering = new CountDownLatch(1);
  private volatile CountDownLatch mayRegister = new CountDownLatch(0);

  @Override
  void admit(String applicationId, Owner task, JobSecret secret) {
    registering.countDown();
    try {
      mayRegister.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private DeadlineChannel open() throws IOException {
    return DeadlineChannel.connect(UnixDomainSocketAddress.of(socket()), TIMEOUT_MS);
  }

  private RemoteError refused(int type, Frames.Payload payload) throws IOException {
    try (DeadlineChannel channel = open()) {
      Frames frames = new Frames(channel);
      frames.send(type, payload, TIMEOUT_MS);
      RemoteError e = assertThrows(RemoteError.class, () -> Replies.receive(frames, TIMEOUT_MS));
      assertThrows(EOFException.class, () -> channel.readFully(ByteBuffer.allocate(1), TIMEOUT_MS));
      return e;
    }
  }

  private static Frames.Payload hello(int version, String applicationId, byte[] secret) {
    return out -> {
      new Versions(version, version).write(out);
      Bounded.writeString(out, applicationId);
      Bounded.writeBytes(out, secret);
      out.writeByte(SegmentAccess.NAMES.ordinal());
      SocketProtocol.writeBorrower(out, Borrower.PROCESS);
    };
  }

  @Test
  void anotherVersionIsToldSo() throws IOException {
    int other = SocketProtocol.VERSION + 1;
    RemoteError e = refused(SocketProtocol.HELLO, hello(other, APP, SECRET.bytes()));
    assertEquals(RemoteError.Code.BAD_REQUEST, e.code());
    String expected = "it speaks version " + other + " of the protocol, this service speaks ";
    assertTrue(e.getMessage().contains(expected), e.getMessage());
  }

  @Test
  void nothingIsGrantedBeforeHello() throws IOException {
    assertEquals(
        RemoteError.Code.BAD_REQUEST,
        refused(SocketProtocol.LEASE, out -> out.writeLong(1)).code());
  }

  @Test
  void aSecretMustBePlausible() throws IOException {
    for (byte[] secret : List.of(new byte[0], new byte[JobSecret.MAX_SECRET_BYTES + 1])) {
      assertEquals(
          RemoteError.Code.BAD_REQUEST,
          refused(SocketProtocol.HELLO, hello(SocketProtocol.VERSION, APP, secret)).code());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "with blank", "é", "line\nbreak"})
  void anApplicationIdMustBePlausible(String applicationId) throws IOException {
    assertEquals(
        RemoteError.Code.BAD_REQUEST,
        refused(SocketProtocol.HELLO, hello(SocketProtocol.VERSION, applicationId, SECRET.bytes()))
            .code());
  }

  @ParameterizedTest
  @ValueSource(strings = {"with blank", "\"}\n"})
  void aTaskMustHaveAPlausibleName(String task) throws IOException {
    RemoteError e =
        refused(
            SocketProtocol.HELLO,
            out -> {
              SocketProtocol.VERSIONS.write(out);
              Bounded.writeString(out, APP);
              Bounded.writeBytes(out, SECRET.bytes());
              out.writeByte(SegmentAccess.NAMES.ordinal());
              Bounded.writeString(out, task);
              out.writeByte(0);
              out.writeLong(0);
            });
    assertEquals(RemoteError.Code.BAD_REQUEST, e.code());
  }

  @Test
  void aHelloThatIsCutShortIsRefused() throws IOException {
    assertEquals(
        RemoteError.Code.BAD_REQUEST,
        refused(SocketProtocol.HELLO, SocketProtocol.VERSIONS::write).code());
  }

  @Test
  void aRequestThatMakesNoSenseIsRefusedAndTheNextOneAnswered() throws IOException {
    try (DeadlineChannel channel = open()) {
      Frames frames = new Frames(channel);
      frames.send(
          SocketProtocol.HELLO, hello(SocketProtocol.VERSION, APP, SECRET.bytes()), TIMEOUT_MS);
      Replies.receive(frames, TIMEOUT_MS);
      List<Frames.Payload> broken =
          List.of(
              out -> {},
              out -> out.writeInt(Integer.MAX_VALUE),
              out -> out.writeLong(-1),
              out -> Bounded.writeString(out, "no\0name"));
      for (int type = 0; type < 9; type++) {
        for (Frames.Payload payload : broken) {
          frames.send(type, payload, TIMEOUT_MS);
          assertThrows(RemoteError.class, () -> Replies.receive(frames, TIMEOUT_MS));
        }
      }
      frames.send(SocketProtocol.LEASE, out -> out.writeLong(1), TIMEOUT_MS);
      assertEquals(
          1, SocketProtocol.readExtents(Replies.receive(frames, TIMEOUT_MS), store.paths()).size());
    }
  }

  @Test
  void aServiceThatStopsGivesNoAnswerSoThatTheTaskAsksItsSuccessor() throws IOException {
    try (DeadlineChannel channel = open()) {
      Frames frames = new Frames(channel);
      frames.send(
          SocketProtocol.HELLO, hello(SocketProtocol.VERSION, APP, SECRET.bytes()), TIMEOUT_MS);
      Replies.receive(frames, TIMEOUT_MS);
      store.quiesce();
      frames.send(SocketProtocol.LEASE, out -> out.writeLong(1), TIMEOUT_MS);
      assertThrows(EOFException.class, () -> Replies.receive(frames, TIMEOUT_MS));
    }
  }

  @Test
  void garbageHarmsNobodyElse() throws IOException {
    Random random = TestSeed.random();
    try (SocketClient client = connect(APP)) {
      for (int i = 0; i < 100; i++) {
        byte[] garbage = new byte[4 + random.nextInt(200)];
        random.nextBytes(garbage);
        if (i % 2 == 0) { // within a frame of the right length
          ByteBuffer.wrap(garbage).putInt(0, Math.max(1, garbage.length - 4));
        }
        try (DeadlineChannel channel = open()) {
          channel.writeFully(ByteBuffer.wrap(garbage), TIMEOUT_MS);
        }
      }
      assertEquals(1, client.lease(1).size());
    }
    awaitNothingLeased();
  }

  @Test
  void aTaskThatWaitsIsNotLeftWaitingWhenTheServiceEnds() throws Exception {
    mayRegister = new CountDownLatch(1);
    CompletableFuture<Void> task = CompletableFuture.runAsync(() -> connectUnchecked());
    registering.await();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(this::closeUnchecked);
    Throwable e = assertThrows(CompletionException.class, task::join).getCause();
    assertInstanceOf(EOFException.class, e);
    mayRegister.countDown();
    closing.join();
  }

  private void connectUnchecked() {
    try {
      connect(APP).close();
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  private void closeUnchecked() {
    try {
      server.close();
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }
}
