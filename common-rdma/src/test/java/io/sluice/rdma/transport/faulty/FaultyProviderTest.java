package io.sluice.rdma.transport.faulty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegionFixture;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.TransportException.ReadTimeoutException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class FaultyProviderTest {
  private static final int LENGTH = 4096;
  private static final long LONG_MS = 120_000;

  @TempDir private Path dir;
  private final LeakCheck leaks = new LeakCheck();

  @AfterEach
  void checkForLeaks() throws Exception {
    leaks.check();
  }

  @Test
  void aDroppedReadTimesOutAndCostsTheConnection() throws Exception {
    try (Rig rig = new Rig(FaultPlan.seeded(1).with(FaultKind.DROP, 1))) {
      assertFails(ReadTimeoutException.class, rig.read(20));
      assertFalse(rig.connection.isOpen());
    }
  }

  @Test
  void aDroppedReadHoldsItsDestinationAndIsLostOnClose() throws Exception {
    try (Rig rig = new Rig(FaultPlan.seeded(1).with(FaultKind.DROP, 1))) {
      CompletableFuture<Void> read = rig.read(LONG_MS);
      assertThrows(IllegalStateException.class, rig.landing::close);
      rig.connection.close();
      assertTrue(read.isDone());
      assertFails(ConnectionLostException.class, read);
    }
  }

  @Test
  void aDelayedReadArrivesWhole() throws Exception {
    try (Rig rig = new Rig(FaultPlan.seeded(1).with(FaultKind.DELAY, 1))) {
      rig.read(LONG_MS).get(LONG_MS, TimeUnit.MILLISECONDS);
      assertEquals(-1, rig.fixture.mismatch(0, rig.landing.buffer()));
    }
  }

  @Test
  void aTruncatedReadFailsThoughBytesHaveArrived() throws Exception {
    try (Rig rig = new Rig(FaultPlan.seeded(1).with(FaultKind.TRUNCATE, 1))) {
      assertFails(ConnectionLostException.class, rig.read(LONG_MS));
      assertFalse(rig.connection.isOpen());
      assertTrue(rig.fixture.mismatch(0, rig.landing.buffer()) > 0);
    }
  }

  @Test
  void aFlippedBitIsDeliveredAsIfNothingHadHappened() throws Exception {
    try (Rig rig = new Rig(FaultPlan.seeded(1).with(FaultKind.BIT_FLIP, 1))) {
      rig.read(LONG_MS).get(LONG_MS, TimeUnit.MILLISECONDS);
      int differentBits = 0;
      for (int i = 0; i < LENGTH; i++) {
        differentBits +=
            Integer.bitCount((rig.landing.buffer().get(i) ^ rig.fixture.mapping().get(i)) & 0xFF);
      }
      assertEquals(1, differentBits);
    }
  }

  @Test
  void aWrongKeyIsRefusedAndADisconnectLosesTheConnection() throws Exception {
    try (Rig rig = new Rig(FaultPlan.seeded(1).with(FaultKind.WRONG_KEY, 1))) {
      assertFails(RemoteAccessException.class, rig.read(LONG_MS));
    }
    try (Rig rig = new Rig(FaultPlan.seeded(1).with(FaultKind.DISCONNECT, 1))) {
      assertFails(ConnectionLostException.class, rig.read(LONG_MS));
      assertFalse(rig.connection.isOpen());
    }
  }

  @Test
  void theNthRegistrationFails() {
    FaultPlan plan = FaultPlan.seeded(1).withFailedRegistration(2); // the rig's second one
    RegistrationException e = assertThrows(RegistrationException.class, () -> new Rig(plan));
    assertTrue(e.getMessage().contains(plan.toString()), e.getMessage());
  }

  @Test
  void theSameSeedHitsTheSameReads() throws Exception {
    FaultPlan plan =
        FaultPlan.seeded(77).with(FaultKind.WRONG_KEY, 0.3).with(FaultKind.BIT_FLIP, 0.2);
    assertEquals(failures(plan, 200), failures(plan, 200));
  }

  private String failures(FaultPlan plan, int reads) throws Exception {
    StringBuilder pattern = new StringBuilder();
    try (Rig rig = new Rig(plan)) {
      for (int i = 0; i < reads; i++) {
        try {
          rig.read(LONG_MS).get(LONG_MS, TimeUnit.MILLISECONDS);
          pattern.append(rig.fixture.mismatch(0, rig.landing.buffer()) < 0 ? '.' : 'b');
        } catch (ExecutionException e) {
          pattern.append('k');
        }
      }
      Map<FaultKind, Integer> injected = rig.provider.injected();
      assertEquals(
          injected.get(FaultKind.WRONG_KEY), (int) pattern.chars().filter(c -> c == 'k').count());
      assertEquals(
          injected.get(FaultKind.BIT_FLIP), (int) pattern.chars().filter(c -> c == 'b').count());
    }
    return pattern.toString();
  }

  @Test
  void thePlanPrintsTheLineThatMakesIt() {
    assertEquals(
        "FaultPlan.seeded(5L).with(FaultKind.DROP, 0.25).withMaxDelayMs(9)"
            + ".withFailedRegistration(3)",
        FaultPlan.seeded(5L)
            .with(FaultKind.DROP, 0.25)
            .withMaxDelayMs(9)
            .withFailedRegistration(3)
            .toString());
  }

  private static void assertFails(
      Class<? extends Throwable> expected, CompletableFuture<Void> read) {
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> read.get(LONG_MS, TimeUnit.MILLISECONDS));
    assertInstanceOf(expected, e.getCause());
  }

  /** A faulty client on an honest server. */
  private final class Rig implements AutoCloseable {
    final FaultyProvider provider;
    final RegionFixture fixture = new RegionFixture(dir, LENGTH, 3);
    final ServerEndpoint server;
    final ByteBuffer memory = OffHeap.allocate(LENGTH);
    ClientEndpoint client;
    RegionDescriptor descriptor;
    RegisteredBuffer landing;
    Connection connection;

    Rig(FaultPlan plan) throws Exception {
      provider = new FaultyProvider(new TcpProvider(), plan);
      server = provider.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try {
        client = provider.openClient();
        descriptor = server.register(fixture.region());
        landing = client.register(memory);
        connection = client.connect(server.address(), LONG_MS);
      } catch (Exception e) {
        close();
        throw e;
      }
    }

    CompletableFuture<Void> read(long timeoutMs) {
      return connection.read(descriptor, 0, landing, 0, LENGTH, timeoutMs);
    }

    @Override
    public void close() throws IOException {
      if (connection != null) {
        connection.close();
      }
      client.close();
      server.close();
      OffHeap.free(memory);
      fixture.close();
    }
  }
}
