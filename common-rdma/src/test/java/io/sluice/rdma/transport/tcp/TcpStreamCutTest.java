package io.sluice.rdma.transport.tcp;

import static io.sluice.rdma.transport.tcp.ScriptedServer.header;
import static io.sluice.rdma.transport.tcp.ScriptedServer.readRequest;
import static io.sluice.rdma.transport.tcp.ScriptedServer.welcome;
import static io.sluice.rdma.transport.tcp.TcpProtocol.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that breaks the protocol anywhere must fail the read, never shorten it. */
@Timeout(300)
class TcpStreamCutTest {
  private static final int LENGTH = 1000;

  private final LeakCheck leaks = new LeakCheck();

  @AfterEach
  void checkForLeaks() throws Exception {
    leaks.check();
  }

  @Test
  void cutInAHeader() throws Exception {
    for (int bytes = 0; bytes < RESPONSE_HEADER_BYTES; bytes += 5) {
      int sent = bytes;
      assertLost(
          "the header of a response after " + sent + " of 16 bytes",
          (in, out) -> {
            readRequest(in);
            out.write(new byte[sent]);
          });
    }
  }

  @Test
  void cutInABody() throws Exception {
    for (int bytes : new int[] {0, 1, LENGTH - 1}) {
      assertLost(
          "the data of a response after " + bytes + " of 1000 bytes",
          (in, out) -> {
            header(out, readRequest(in), STATUS_OK, LENGTH);
            out.write(new byte[bytes]);
          });
    }
  }

  @Test
  void wrongLength() throws Exception {
    for (int length : new int[] {LENGTH - 1, LENGTH + 1, -1}) {
      assertLost(
          "server sends " + length + " bytes, expected 1000",
          (in, out) -> {
            header(out, readRequest(in), STATUS_OK, length);
            out.write(new byte[LENGTH + 1]);
          });
    }
  }

  @Test
  void answerToAQuestionNotAsked() throws Exception {
    assertLost(
        "which was not sent", (in, out) -> header(out, readRequest(in) + 1, STATUS_OK, LENGTH));
  }

  @Test
  void unknownStatusAndOversizedMessage() throws Exception {
    assertLost("unknown status 9", (in, out) -> header(out, readRequest(in), 9, LENGTH));
    assertLost(
        "message of 513 bytes, the limit is 512",
        (in, out) -> header(out, readRequest(in), STATUS_REFUSED, MAX_MESSAGE_BYTES + 1));
  }

  @Test
  void aStreamCutInOneAnswerKeepsThoseBefore() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                (in, out) -> {
                  welcome(out);
                  header(out, readRequest(in), STATUS_OK, LENGTH);
                  out.write(new byte[LENGTH]);
                  header(out, readRequest(in), STATUS_OK, LENGTH);
                });
        Rig rig = new Rig(server)) {
      CompletableFuture<Void> first = rig.read();
      CompletableFuture<Void> second = rig.read();
      first.get(120, TimeUnit.SECONDS);
      assertThrows(ExecutionException.class, () -> second.get(120, TimeUnit.SECONDS));
    }
  }

  @Test
  void notASluiceServer() throws Exception {
    assertNoConnection(
        "not a Sluice server: magic 0x48545450", (in, out) -> out.writeBytes("HTTP/1.1 400 \r\n"));
    assertNoConnection(
        "server is of another release of Sluice: it speaks version "
            + (VERSION + 1)
            + " of the protocol, this client speaks "
            + VERSION,
        (in, out) -> {
          out.writeInt(MAGIC);
          out.writeShort(VERSION + 1);
          out.writeShort(VERDICT_OTHER_VERSION);
        });
    assertNoConnection(
        "server is of another release of Sluice: it speaks version " + (OLDEST - 1),
        (in, out) -> {
          out.writeInt(MAGIC);
          out.writeShort(OLDEST - 1);
          out.writeShort(VERDICT_WELCOME);
        });
    assertNoConnection("stream ended in the server's welcome", (in, out) -> out.write(1));
  }

  @Test
  void aServerThatNeverSaysWelcomeIsGivenUpInTime() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer((in, out) -> in.transferTo(OutputStream.nullOutputStream()));
        ClientEndpoint client = new TcpProvider().openClient()) {
      assertThrows(ConnectFailedException.class, () -> client.connect(server.address(), 50));
      assertEquals(0, client.counters().connections());
    }
  }

  private static void assertNoConnection(String message, ScriptedServer.Script script)
      throws Exception {
    try (ScriptedServer server = new ScriptedServer(script);
        ClientEndpoint client = new TcpProvider().openClient()) {
      ConnectFailedException e =
          assertThrows(
              ConnectFailedException.class, () -> client.connect(server.address(), 120_000));
      assertTrue(e.getMessage().contains(message), e.getMessage());
    }
  }

  private static void assertLost(String reason, ScriptedServer.Script afterWelcome)
      throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                (in, out) -> {
                  welcome(out);
                  afterWelcome.run(in, out);
                });
        Rig rig = new Rig(server)) {
      CompletableFuture<Void> read = rig.read();
      ExecutionException e =
          assertThrows(ExecutionException.class, () -> read.get(120, TimeUnit.SECONDS));
      assertInstanceOf(ConnectionLostException.class, e.getCause());
      assertTrue(e.getMessage().contains(reason), e.getMessage());
      assertFalse(rig.connection.isOpen());
    }
  }

  private static final class Rig implements AutoCloseable {
    final ScriptedServer server;
    final ClientEndpoint client = new TcpProvider().openClient();
    final ByteBuffer memory = OffHeap.allocate(LENGTH);
    final RegisteredBuffer landing;
    final Connection connection;

    Rig(ScriptedServer server) throws Exception {
      this.server = server;
      landing = client.register(memory);
      connection = client.connect(server.address(), 120_000);
    }

    CompletableFuture<Void> read() {
      return connection.read(server.descriptor(), 0, landing, 0, LENGTH, 120_000);
    }

    @Override
    public void close() {
      client.close();
      OffHeap.free(memory);
    }
  }
}
