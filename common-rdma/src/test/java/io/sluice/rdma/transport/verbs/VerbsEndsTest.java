package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.TransportException.ReadTimeoutException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The end of a client's connection when memory is short, or the device refuses to end it. */
@Timeout(300)
class VerbsEndsTest {
  private static final long LONG_MS = 120_000;
  private static final int REGION_BYTES = 4096;

  @TempDir private Path dir;

  private final ByteBuffer memory = ByteBuffer.allocateDirect(REGION_BYTES);
  private final ByteBuffer landingMemory = ByteBuffer.allocateDirect(REGION_BYTES);
  private FakeVerbs verbs;

  @BeforeEach
  void fakeVerbs() throws IOException {
    verbs = new FakeVerbs(dir);
  }

  @AfterEach
  void closeVerbs() {
    verbs.close();
  }

  private static IOException refusal() {
    return new IOException("expected by this test");
  }

  private static OutOfMemoryError lackOfMemory() {
    return new OutOfMemoryError("expected by this test");
  }

  /** As if there were no memory for its text. */
  private static IOException refusalWithoutText() {
    return new IOException() {
      private static final long serialVersionUID = 1L;

      @Override
      public String getMessage() {
        throw lackOfMemory();
      }

      @Override
      public String toString() {
        throw lackOfMemory();
      }
    };
  }

  private static Throwable failure(CompletableFuture<Void> read) {
    return assertThrows(ExecutionException.class, () -> read.get(LONG_MS, TimeUnit.MILLISECONDS))
        .getCause();
  }

  /** Else a reader is given a connection whose native part is gone. */
  @Test
  void aConnectionThatLacksMemoryForTheCauseOfItsEndHasEnded() throws Exception {
    for (String call : new String[] {"poll", "post"}) {
      try (Pair s = new Pair()) {
        verbs.loseReads();
        verbs.fail(call, 0, refusalWithoutText());
        Throwable failure = failure(s.read());
        assertInstanceOf(ConnectionLostException.class, failure);
        assertFalse(s.connection.isOpen());
        verbs.failNoMore();
        s.connection.close();
        assertInstanceOf(ConnectionLostException.class, failure(s.read()));
      }
      assertEquals(List.of(), verbs.live(), call);
    }
  }

  @Test
  void aReadWhoseQueuePairCannotBeDestroyedForWantOfMemoryEndsWhenThereIsSome() throws Exception {
    try (Pair s = new Pair()) {
      verbs.loseReads();
      CompletableFuture<Void> first = s.read();
      CompletableFuture<Void> second = s.read();
      verbs.fail("modify to 6", 0, lackOfMemory());
      verbs.fail("destroyPair of a reader", 0, lackOfMemory());
      verbs.report("fake0", VerbsLayout.EVENT_PORT_ERR, 1);
      while (verbs.calls("destroyPair of a reader") < 2) {
        Thread.onSpinWait(); // the test's time limit ends this
      }
      assertFalse(s.connection.isOpen());
      assertFalse(first.isDone() || second.isDone());
      assertThrows(IllegalStateException.class, s.landing::close);
      verbs.failNoMore();
      assertInstanceOf(ConnectionLostException.class, failure(first));
      assertInstanceOf(ConnectionLostException.class, failure(second));
      s.landing.close();
    }
    assertEquals(List.of(), verbs.live());
  }

  /** Else the deadlines of all other connections of the endpoint wait for it. */
  @Test
  void aQueuePairThatTakesLongToBeDestroyedDelaysNoDeadline() throws Exception {
    try (Pair s = new Pair()) {
      verbs.loseReads();
      CompletableFuture<Void> first = s.read(50);
      CompletableFuture<Void> second = s.read(100);
      verbs.fail("destroyPair of a reader", 0, lackOfMemory());
      while (verbs.calls("destroyPair of a reader") < 2) {
        Thread.onSpinWait(); // the test's time limit ends this
      }
      try (Connection other = s.client.connect(s.server.address(), LONG_MS)) {
        CompletableFuture<Void> late = other.read(s.descriptor, 0, s.landing, 0, REGION_BYTES, 50);
        while (other.isOpen()) {
          Thread.onSpinWait();
        }
        assertFalse(late.isDone() || first.isDone() || second.isDone());
        verbs.failNoMore();
        assertInstanceOf(ReadTimeoutException.class, failure(late));
      }
      assertInstanceOf(ReadTimeoutException.class, failure(first));
      assertInstanceOf(ConnectionLostException.class, failure(second));
    }
    assertEquals(List.of(), verbs.live());
  }

  /** Its memory may go to another read only when the NIC writes no more. */
  @Test
  void theDestinationOfAReadThatTheNicDoesNotEndStaysHeld() throws Exception {
    Pair s = new Pair();
    verbs.loseReads();
    CompletableFuture<Void> read = s.read();
    verbs.fail("destroyPair of a reader", 0, refusal());
    verbs.fail("modify to 6", 0, refusal());
    s.connection.close();
    assertInstanceOf(ConnectionLostException.class, failure(read));
    assertThrows(IllegalStateException.class, s.landing::close);
    s.landing.unhold();
    closeWithoutItsPair(s);
  }

  @Test
  void aReadThatTheNicHasEndedReleasesItsDestinationThoughTheQueuePairIsKept() throws Exception {
    Pair s = new Pair();
    verbs.loseReads();
    CompletableFuture<Void> read = s.read();
    verbs.fail("destroyPair of a reader", 0, refusal());
    s.connection.close();
    assertInstanceOf(ConnectionLostException.class, failure(read));
    s.landing.close();
    closeWithoutItsPair(s);
  }

  /** Destroys what the connection has kept, so that the endpoint can be closed. */
  private void closeWithoutItsPair(Pair s) throws IOException {
    s.server.close();
    verbs.failNoMore();
    assertEquals(1, verbs.pairs().size());
    verbs.destroyPair(verbs.pairs().get(0));
    s.client.close();
  }

  /** One server with one region, one client with one connection. */
  private final class Pair implements AutoCloseable {
    private final ServerEndpoint server =
        verbs.provider().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    private final RegionDescriptor descriptor = server.register(MemoryRegion.ofMapping(memory));
    private final ClientEndpoint client = verbs.provider().openClient();
    private final RegisteredBuffer landing = client.register(landingMemory);
    private final Connection connection = client.connect(server.address(), LONG_MS);

    private Pair() throws TransportException {}

    CompletableFuture<Void> read() {
      return read(LONG_MS);
    }

    CompletableFuture<Void> read(long timeoutMs) {
      return connection.read(descriptor, 0, landing, 0, REGION_BYTES, timeoutMs);
    }

    @Override
    public void close() {
      client.close();
      server.close();
    }
  }
}
