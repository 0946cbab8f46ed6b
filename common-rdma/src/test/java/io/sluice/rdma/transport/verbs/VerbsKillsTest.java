package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.testing.ForkedJvm;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RdmaAddress;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
import io.sluice.rdma.transport.verbs.KilledPeer.ReaderStep;
import io.sluice.rdma.transport.verbs.KilledPeer.ServerStep;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Processes of either side that are killed at each step of a connection over a real RDMA device,
 * and what they leave behind in the other one, by the kernel's account; skipped where there is no
 * device.
 */
@Tag("campaign") // two minutes in the lab
@Timeout(600)
class VerbsKillsTest {
  private static final long LONG_MS = 120_000;

  /** For the one that stays, and for one that is killed. */
  private static final int MOST_CONNECTIONS = 2;

  private static final int SOME = 16;

  @TempDir private Path directory;

  private final VerbsProvider provider =
      RealVerbs.orSkip(VerbsKillsTest.class, VerbsNetwork.DEFAULT);
  private final LeakCheck leaks = new LeakCheck();
  private final InetAddress here = RdmaAddress.find();
  private final Admission admission =
      Admission.expected(new ConnectionLimits(MOST_CONNECTIONS, 1, LONG_MS, LONG_MS));
  private final ByteBuffer memory = OffHeap.allocate(KilledPeer.REGION_BYTES);
  private final ByteBuffer target = OffHeap.allocate(KilledPeer.REGION_BYTES);
  private ServerEndpoint service;
  private ClientEndpoint client;
  private RegionDescriptor region;
  private RegisteredBuffer landing;
  private Connection staying;
  private KernelObjects before;

  @BeforeEach
  void open() throws Exception {
    service = provider.listen(new InetSocketAddress(here, 0), admission);
    region = service.register(MemoryRegion.ofMapping(memory));
    client = provider.openClient();
    landing = client.register(target);
    staying = client.connect(service.address(), ticket(), LONG_MS);
    assertReads(staying);
    before = KernelObjects.now();
  }

  @AfterEach
  void close() throws Exception {
    client.close();
    service.close();
    OffHeap.free(memory);
    OffHeap.free(target);
    leaks.check();
  }

  /** Fails if no place is free. */
  private Ticket ticket() {
    return admission.expect(null, Set.of(here)).orElseThrow();
  }

  private List<CompletableFuture<Void>> reads(Connection from, RegionDescriptor what, int count) {
    List<CompletableFuture<Void>> reads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      reads.add(from.read(what, 0, landing, 0, KilledPeer.REGION_BYTES, LONG_MS));
    }
    return reads;
  }

  private void assertReads(Connection connection) throws Exception {
    for (CompletableFuture<Void> read : reads(connection, region, 1)) {
      read.get(LONG_MS, TimeUnit.MILLISECONDS);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aReaderThatIsKilledLeavesNothing(ReaderStep step) throws Exception {
    Ticket ticket = step.isAdmitted() ? ticket() : Ticket.NONE;
    try (ForkedJvm reader =
        KilledPeer.startReader(directory.resolve("log"), step, service.address(), ticket, region)) {
      reader.awaitLine("reached");
      assertEquals(step.isAdmitted() ? 2 : 1, admission.counters().open());
      int established = step.isEstablished() ? 2 : 1;
      Await.until("it is connected", () -> service.counters().openConnections() == established);
      List<CompletableFuture<Void>> others = reads(staying, region, SOME);
      reader.kill();
      for (CompletableFuture<Void> other : others) {
        other.get(LONG_MS, TimeUnit.MILLISECONDS);
      }
    }
    Await.until("its place is free", () -> admission.counters().open() == 1);
    KernelObjects.awaitAgain(before);
    assertEquals(1, service.counters().openConnections());
    assertTakesAnother();
  }

  /** Another connection than that which stays. */
  private void assertTakesAnother() throws Exception {
    try (Connection another = client.connect(service.address(), ticket(), LONG_MS)) {
      assertReads(another);
    }
    Await.until("its place is free", () -> admission.counters().open() == 1);
    assertReads(staying);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "READS")
  void aServerThatIsKilledFailsTheConnect(ServerStep step, TestReporter reporter) throws Exception {
    try (ForkedJvm server =
        KilledPeer.startServer(directory.resolve("log"), step, here.getHostAddress())) {
      InetSocketAddress address = addressOf(server);
      CompletableFuture<ConnectFailedException> connect =
          CompletableFuture.supplyAsync(
              () ->
                  assertThrows(
                      ConnectFailedException.class, () -> client.connect(address, LONG_MS)));
      server.awaitLine("reached");
      assertFalse(connect.isDone());
      server.kill();
      String failure = connect.get(LONG_MS, TimeUnit.MILLISECONDS).getMessage();
      assertFalse(failure.contains("no answer in time"), failure);
      reporter.publishEntry("verbs", "server killed at " + step + ": " + failure);
    }
    KernelObjects.awaitAgain(before);
    assertTakesAnother();
  }

  private InetSocketAddress addressOf(ForkedJvm server) {
    return new InetSocketAddress(here, Integer.parseInt(server.awaitLine("port")));
  }

  @Test
  void aServerThatIsKilledUnderReadsFailsEachOnce(TestReporter reporter) throws Exception {
    long failedBefore = client.counters().failedReads();
    int refused = 0;
    List<ReadChain> chains = new ArrayList<>();
    try (ForkedJvm server =
            KilledPeer.startServer(
                directory.resolve("log"), ServerStep.READS, here.getHostAddress());
        Connection connection = client.connect(addressOf(server), LONG_MS)) {
      RegionDescriptor what = regionOf(server);
      for (int i = 0; i < KilledPeer.MANY; i++) {
        chains.add(new ReadChain(connection, what, landing, KilledPeer.REGION_BYTES, LONG_MS));
      }
      Await.until("a read has ended", () -> chains.stream().anyMatch(ReadChain::hasRead));
      server.kill();
      for (ReadChain chain : chains) {
        Throwable e = chain.failure().get(LONG_MS, TimeUnit.MILLISECONDS);
        if (e instanceof RemoteAccessException) {
          refused++;
        } else {
          assertInstanceOf(ConnectionLostException.class, e);
        }
      }
      reporter.publishEntry("verbs", "server killed under reads: " + chains.get(0).failure().get());
      assertFalse(connection.isOpen());
    }
    assertTrue(refused <= 1, "the kernel may take the memory first, and then the queue pair");
    long failed = client.counters().failedReads() - failedBefore;
    assertEquals(KilledPeer.MANY, failed, "each chain fails once");
    KernelObjects.awaitAgain(before);
    assertTakesAnother();
  }

  private static RegionDescriptor regionOf(ForkedJvm server) throws Exception {
    return RegionDescriptor.decode(
        ByteBuffer.wrap(HexFormat.of().parseHex(server.awaitLine("region"))));
  }
}
