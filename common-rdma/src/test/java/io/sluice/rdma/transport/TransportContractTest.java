package io.sluice.rdma.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;
import io.sluice.rdma.testing.ClosedPort;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.TransportException.ReadTimeoutException;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
import io.sluice.rdma.transport.support.FailingDeadlines;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of the SPI, as {@link Connection}, {@link ServerEndpoint} and {@link ClientEndpoint}
 * state it. Subclass it once per provider, here or in another module.
 */
@Timeout(300)
public abstract class TransportContractTest {
  protected static final long LONG_MS = 120_000;
  private static final int REGION_BYTES = 4 << 20;
  private static final Set<String> PRINTED_REASONS = ConcurrentHashMap.newKeySet();

  @TempDir protected Path dir;

  private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
  private LeakCheck leaks;
  private TransportProvider provider;

  /** The provider under test. */
  protected abstract TransportProvider createProvider();

  /** A server of this provider's kind that answers no read. */
  protected abstract SilentServer startSilentServer() throws Exception;

  /** Where servers bind. */
  protected InetSocketAddress bindAddress() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  /** Why a deregistered region may still be read; else empty. */
  protected Optional<String> whyDeregisteredRegionsAreServed() {
    return Optional.empty();
  }

  /** What a reader with a forged descriptor gets to see. */
  protected Class<? extends TransportException> refusal() {
    return RemoteAccessException.class;
  }

  /** Why no server of this kind can be made silent here; else empty. */
  protected Optional<String> whyNoServerIsSilent() {
    return Optional.empty();
  }

  /** Why this provider, the way it runs here, cannot refuse a forged descriptor; else empty. */
  protected Optional<String> whyForgedDescriptorsPass() {
    return Optional.empty();
  }

  /** Called after each test with what its clients have read. */
  protected void verifyTheWayOf(long bytesRead) {}

  @BeforeEach
  void begin() {
    provider = createProvider();
    skipIf(provider.unavailabilityCause());
    leaks = new LeakCheck();
  }

  @AfterEach
  void closeAllAndCheckForLeaks() throws Exception {
    long bytesRead =
        toClose.stream()
            .filter(ClientEndpoint.class::isInstance)
            .mapToLong(client -> ((ClientEndpoint) client).counters().bytes())
            .sum();
    while (!toClose.isEmpty()) {
      toClose.pop().close();
    }
    if (leaks != null) {
      leaks.check();
      verifyTheWayOf(bytesRead);
    }
  }

  /** Closed after the test, last opened first. */
  protected final <T extends AutoCloseable> T closing(T resource) {
    toClose.push(resource);
    return resource;
  }

  protected final TransportProvider provider() {
    return provider;
  }

  protected final RegisteredBuffer landing(ClientEndpoint client, int lengthBytes)
      throws Exception {
    ByteBuffer memory = OffHeap.allocate(lengthBytes);
    closing(() -> OffHeap.free(memory));
    return closing(client.register(memory));
  }

  protected static <T extends Throwable> T assertFails(
      Class<T> expected, CompletableFuture<Void> read) {
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> read.get(LONG_MS, TimeUnit.MILLISECONDS));
    return assertInstanceOf(expected, e.getCause());
  }

  protected static void await(CompletableFuture<Void> read) throws Exception {
    read.get(LONG_MS, TimeUnit.MILLISECONDS);
  }

  @Test
  void readsAWholeRegion() throws Exception {
    Setup s = new Setup();
    await(s.connection.read(s.descriptor, 0, s.landing, 0, REGION_BYTES, LONG_MS));
    assertEquals(-1, s.fixture.mismatch(0, s.landing.buffer()));
  }

  @Test
  void readsNothingOutsideTheRangeAskedFor() throws Exception {
    Setup s = new Setup();
    await(s.connection.read(s.descriptor, 1001, s.landing, 77, 3000, LONG_MS));
    ByteBuffer all = s.landing.buffer();
    assertEquals(-1, s.fixture.mismatch(1001, all.slice(77, 3000)));
    ByteBuffer untouched = ByteBuffer.allocate(REGION_BYTES);
    assertEquals(-1, all.slice(0, 77).mismatch(untouched.slice(0, 77)));
    int behind = REGION_BYTES - 3077;
    assertEquals(-1, all.slice(3077, behind).mismatch(untouched.slice(0, behind)));
  }

  @Test
  void manyReadsOfRandomRangesInFlightAtOnce() throws Exception {
    Random random = TestSeed.random();
    Setup s = new Setup();
    List<CompletableFuture<Void>> reads = new ArrayList<>();
    List<int[]> ranges = new ArrayList<>();
    int landingOffset = 0;
    for (int i = 0; i < 600; i++) {
      int length = random.nextInt(REGION_BYTES / 600);
      int offset = random.nextInt(REGION_BYTES - length);
      ranges.add(new int[] {offset, landingOffset, length});
      reads.add(s.connection.read(s.descriptor, offset, s.landing, landingOffset, length, LONG_MS));
      landingOffset += length;
    }
    for (int i = 0; i < reads.size(); i++) {
      await(reads.get(i));
      int[] range = ranges.get(i);
      ByteBuffer got = s.landing.buffer().slice(range[1], range[2]);
      assertEquals(-1, s.fixture.mismatch(range[0], got), "read " + i);
    }
  }

  @Test
  void severalThreadsShareAConnectionAndSeveralConnectionsAServer() throws Exception {
    Setup s = new Setup();
    Connection second = closing(s.client.connect(s.server.address(), LONG_MS));
    List<CompletableFuture<Void>> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int part = t;
      Connection connection = t % 2 == 0 ? s.connection : second;
      threads.add(
          CompletableFuture.runAsync(
              () -> {
                int size = REGION_BYTES / 4 / 64;
                for (int i = 0; i < 64; i++) {
                  int offset = part * (REGION_BYTES / 4) + i * size;
                  connection.read(s.descriptor, offset, s.landing, offset, size, LONG_MS).join();
                }
              }));
    }
    for (CompletableFuture<Void> thread : threads) {
      await(thread);
    }
    assertEquals(-1, s.fixture.mismatch(0, s.landing.buffer()));
  }

  /** As a task that is being killed does it: its executor's other tasks share the connection. */
  @Test
  void interruptedThreadsReadAndHarmNobody() throws Exception {
    Setup s = new Setup();
    int size = 1000;
    for (int round = 0; round < 100; round++) {
      int mine = round % 2 * size;
      CompletableFuture<Void> others =
          s.connection.read(s.descriptor, 5000, s.landing, 5000, REGION_BYTES / 4, LONG_MS);
      Thread.currentThread().interrupt();
      CompletableFuture<Void> ours =
          s.connection.read(s.descriptor, mine, s.landing, mine, size, LONG_MS);
      assertTrue(Thread.interrupted(), "the flag is not the transport's to clear");
      await(ours);
      await(others);
    }
    assertTrue(s.connection.isOpen());
    assertEquals(0, s.client.counters().failedReads());
    assertEquals(-1, s.fixture.mismatch(0, s.landing.buffer().slice(0, 2 * size)));
  }

  @Test
  void aReadOfNoBytesCompletes() throws Exception {
    Setup s = new Setup();
    await(s.connection.read(s.descriptor, 0, s.landing, 0, 0, LONG_MS));
    await(s.connection.read(s.descriptor, REGION_BYTES, s.landing, REGION_BYTES, 0, LONG_MS));
  }

  @Test
  void refusesTheCallersMistakesAtOnce() throws Exception {
    Setup s = new Setup();
    assertThrows(
        IndexOutOfBoundsException.class,
        () -> s.connection.read(s.descriptor, 0, s.landing, REGION_BYTES - 9, 10, LONG_MS));
    assertThrows(
        IllegalArgumentException.class,
        () -> s.connection.read(s.descriptor, 0, s.landing, 0, 10, 0));
    RegisteredBuffer foreign = landing(closing(provider.openClient()), 64);
    assertThrows(
        IllegalArgumentException.class,
        () -> s.connection.read(s.descriptor, 0, foreign, 0, 10, LONG_MS));
    RegisteredBuffer closed = landing(s.client, 64);
    closed.close();
    assertThrows(
        IllegalStateException.class,
        () -> s.connection.read(s.descriptor, 0, closed, 0, 10, LONG_MS));
    assertThrows(IllegalArgumentException.class, () -> s.client.register(ByteBuffer.allocate(64)));
  }

  @Test
  void aRangeOutsideTheRegionFailsAndTheConnectionGoesOn() throws Exception {
    Setup s = new Setup();
    for (long offset : new long[] {REGION_BYTES - 9, -1, Long.MAX_VALUE - 3}) {
      assertFails(
          RemoteAccessException.class,
          s.connection.read(s.descriptor, offset, s.landing, 0, 10, LONG_MS));
    }
    await(s.connection.read(s.descriptor, REGION_BYTES - 10, s.landing, 0, 10, LONG_MS));
    assertEquals(3, s.client.counters().failedReads());
  }

  @Test
  void theServerRefusesForgedDescriptors() throws Exception {
    assumeServerChecks();
    Setup s = new Setup();
    RegionDescriptor d = s.descriptor;
    RegionDescriptor longer =
        new RegionDescriptor(d.regionId(), d.key(), 2 * d.lengthBytes(), d.providerData());
    RegionDescriptor wrongKey =
        new RegionDescriptor(d.regionId(), d.key() ^ 1, d.lengthBytes(), d.providerData());
    RegionDescriptor unknown =
        new RegionDescriptor(d.regionId() + 1, d.key(), d.lengthBytes(), d.providerData());
    assertRefused(s, longer, REGION_BYTES + REGION_BYTES / 2);
    if (d.providerData().length == 0) { // else the NIC asks for what is in there, and no more
      assertRefused(s, wrongKey, 0);
      assertRefused(s, unknown, 0);
    }
  }

  @Test
  void aDeregisteredRegionIsRefused() throws Exception {
    assumeServerChecks();
    skipIf(whyDeregisteredRegionsAreServed());
    Setup s = new Setup();
    await(s.connection.read(s.descriptor, 0, s.landing, 0, 10, LONG_MS));
    s.server.deregister(s.descriptor);
    s.server.deregister(s.descriptor);
    assertRefused(s, s.descriptor, 0);
    assertEquals(0, s.server.counters().registeredBytes());
  }

  private void assertRefused(Setup s, RegionDescriptor forged, long offset) throws Exception {
    try (Connection connection = s.client.connect(s.server.address(), LONG_MS)) {
      assertFails(refusal(), connection.read(forged, offset, s.landing, 0, 10, LONG_MS));
    }
  }

  private void assumeServerChecks() {
    skipIf(whyForgedDescriptorsPass());
  }

  /** Says so once per cause, because surefire shows only that something was skipped. */
  private void skipIf(Optional<String> cause) {
    if (cause.isPresent()) {
      String reason = getClass().getSimpleName() + " skipped: " + cause.get();
      if (PRINTED_REASONS.add(reason)) {
        System.out.println(reason);
      }
      assumeTrue(false, reason);
    }
  }

  @Test
  void aLateReadFailsAndCostsTheConnection() throws Exception {
    Silence s = new Silence();
    CompletableFuture<Void> other =
        s.connection.read(s.server.descriptor(), 0, s.landing, 512, 512, LONG_MS);
    CompletableFuture<Void> late =
        s.connection.read(s.server.descriptor(), 0, s.landing, 0, 512, 50);
    assertFails(ReadTimeoutException.class, late);
    assertFails(ConnectionLostException.class, other);
    assertFalse(s.connection.isOpen());
    assertFails(
        ConnectionLostException.class,
        s.connection.read(s.server.descriptor(), 0, s.landing, 0, 512, LONG_MS));
    assertEquals(1, s.client.counters().timedOutReads());
    assertEquals(3, s.client.counters().failedReads());
    s.landing.close(); // held by nobody any more
  }

  @Test
  void aDestinationCannotBeClosedWhileAReadIsInFlight() throws Exception {
    Silence s = new Silence();
    CompletableFuture<Void> read =
        s.connection.read(s.server.descriptor(), 0, s.landing, 0, 512, LONG_MS);
    assertThrows(IllegalStateException.class, s.landing::close);
    s.connection.close();
    assertFails(ConnectionLostException.class, read);
    s.landing.close();
  }

  /** Else its memory is held for good, and who waits for it waits for ever. */
  @Test
  void aReadWhoseDeadlineCannotBeStartedFailsAndLetsGoOfItsDestination() throws Exception {
    Setup s = new Setup();
    Error shortage = new Error("expected by this test"); // of memory, JUnit would end
    CompletableFuture<Void> read =
        FailingDeadlines.during(
            s.landing,
            shortage,
            () -> s.connection.read(s.descriptor, 0, s.landing, 0, 10, LONG_MS));
    assertSame(shortage, assertFails(TransportException.class, read).getCause());
    await(s.connection.read(s.descriptor, 0, s.landing, 0, REGION_BYTES, LONG_MS));
    assertEquals(-1, s.fixture.mismatch(0, s.landing.buffer()));
    s.landing.close();
  }

  @Test
  void closeFailsWhatIsOutstandingBeforeItReturns() throws Exception {
    Silence s = new Silence();
    List<CompletableFuture<Void>> reads = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      reads.add(s.connection.read(s.server.descriptor(), 0, s.landing, 0, 512, LONG_MS));
    }
    s.connection.close();
    for (CompletableFuture<Void> read : reads) {
      assertTrue(read.isDone());
      assertFails(ConnectionLostException.class, read);
    }
    s.connection.close();
    assertFalse(s.connection.isOpen());
  }

  @Test
  void closingTheEndpointFailsWhatIsOutstanding() throws Exception {
    Silence s = new Silence();
    CompletableFuture<Void> read =
        s.connection.read(s.server.descriptor(), 0, s.landing, 0, 512, LONG_MS);
    s.client.close();
    assertTrue(read.isDone());
    assertFails(ConnectionLostException.class, read);
    assertThrows(TransportException.class, () -> s.client.connect(s.server.address(), LONG_MS));
    s.client.close();
  }

  @Test
  void aPeerThatDiesInTheMiddleOfAReadFailsIt() throws Exception {
    Silence s = new Silence();
    CompletableFuture<Void> read =
        s.connection.read(s.server.descriptor(), 0, s.landing, 0, 512, LONG_MS);
    s.server.close();
    assertFails(ConnectionLostException.class, read);
    assertFalse(s.connection.isOpen());
  }

  @Test
  void theEndpointSurvivesARestartOfTheServer() throws Exception {
    Setup s = new Setup();
    await(s.connection.read(s.descriptor, 0, s.landing, 0, 10, LONG_MS));
    s.server.close();
    assertFails(
        ConnectionLostException.class,
        s.connection.read(s.descriptor, 0, s.landing, 0, 10, LONG_MS));
    ServerEndpoint restarted = closing(provider.listen(s.server.address()));
    RegionDescriptor descriptor = restarted.register(region(s.fixture));
    Connection connection = closing(s.client.connect(restarted.address(), LONG_MS));
    await(connection.read(descriptor, 0, s.landing, 0, REGION_BYTES, LONG_MS));
    assertEquals(-1, s.fixture.mismatch(0, s.landing.buffer()));
    restarted.close();
  }

  /** Two owners' memory, and a reader of the one who knows the key of the other's. */
  @Test
  void aKeyOpensNothingAtAnotherEndpointOfTheSameProcess() throws Exception {
    skipIf(whyForgedDescriptorsPass());
    Setup s = new Setup();
    ServerEndpoint other = closing(provider.listen(bindAddress()));
    Connection connection = closing(s.client.connect(other.address(), LONG_MS));
    assertFails(refusal(), connection.read(s.descriptor, 0, s.landing, 0, 10, LONG_MS));
    await(s.connection.read(s.descriptor, 0, s.landing, 0, 10, LONG_MS));
  }

  @Test
  void onlyWhoIsExpectedConnectsAndNoMoreThanThereArePlaces() throws Exception {
    ConnectionLimits limits = new ConnectionLimits(2, 8, LONG_MS, LONG_MS);
    Admission admission = Admission.expected(limits);
    ServerEndpoint server = closing(provider.listen(bindAddress(), admission));
    ClientEndpoint client = closing(provider.openClient());
    Set<InetAddress> here = Set.of(bindAddress().getAddress());
    assertThrows(
        ConnectFailedException.class, () -> client.connect(server.address(), Ticket.NONE, 5_000));
    Ticket first = admission.expect(null, here).orElseThrow();
    Connection connection = closing(client.connect(server.address(), first, LONG_MS));
    assertThrows(
        ConnectFailedException.class, () -> client.connect(server.address(), first, 5_000));
    Ticket second = admission.expect(null, here).orElseThrow();
    assertTrue(admission.expect(null, here).isEmpty(), "one is connected, one expected");
    closing(client.connect(server.address(), second, LONG_MS));
    assertEquals(2, admission.counters().open());
    connection.close();
    while (admission.counters().open() > 1) { // ends by the test's timeout if never
      Thread.onSpinWait();
    }
    assertTrue(admission.expect(null, here).isPresent());
  }

  @Test
  void connectingToNobodyFails() throws Exception {
    ClientEndpoint client = closing(provider.openClient());
    assertThrows(
        ConnectFailedException.class,
        () -> client.connect(InetSocketAddress.createUnresolved("no.such.host.invalid", 1), 2_000));
    try (ClosedPort nobody = new ClosedPort(bindAddress().getAddress())) {
      assertThrows(ConnectFailedException.class, () -> client.connect(nobody.address(), 2_000));
    }
    assertEquals(0, client.counters().connections());
  }

  @Test
  void callbacksMayReadOnAndClose() throws Exception {
    Setup s = new Setup();
    CompletableFuture<Void> chain = new CompletableFuture<>();
    readChain(s, 500, chain);
    await(chain);
    CompletableFuture<Boolean> openAfterClose =
        s.connection
            .read(s.descriptor, 0, s.landing, 0, 10, LONG_MS)
            .thenApply(
                read -> {
                  s.connection.close();
                  return s.connection.isOpen();
                });
    assertFalse(openAfterClose.get(LONG_MS, TimeUnit.MILLISECONDS));
  }

  private void readChain(Setup s, int left, CompletableFuture<Void> end) {
    s.connection
        .read(s.descriptor, left, s.landing, 0, 100, LONG_MS)
        .whenComplete(
            (ok, failure) -> {
              if (failure != null) {
                end.completeExceptionally(failure);
              } else if (left == 0) {
                end.complete(null);
              } else {
                readChain(s, left - 1, end);
              }
            });
  }

  @Test
  void countsWhatItDoes() throws Exception {
    Setup s = new Setup();
    await(s.connection.read(s.descriptor, 0, s.landing, 0, 100, LONG_MS));
    await(s.connection.read(s.descriptor, 0, s.landing, 0, 11, LONG_MS));
    assertEquals(
        new TransportCounters(2, 111, 0, 0, 1, 1, 1, REGION_BYTES, WaitCounts.NONE),
        s.client.counters());
    assertEquals(REGION_BYTES, s.server.counters().registeredBytes());
    s.connection.close();
    assertEquals(0, s.client.counters().openConnections());
    s.landing.close();
    assertEquals(0, s.client.counters().registeredBytes());
  }

  @Test
  void theServerKeepsRegisteredMemoryReachable() throws Exception {
    ServerEndpoint server = closing(provider.listen(bindAddress()));
    WeakReference<ByteBuffer> memory = registerAndForget(server);
    System.gc();
    assertNotNull(memory.get(), "a registered region was garbage collected");
  }

  private static WeakReference<ByteBuffer> registerAndForget(ServerEndpoint server)
      throws Exception {
    ByteBuffer memory = ByteBuffer.allocateDirect(4096); // freed by the collector, by intent
    server.register(MemoryRegion.ofMapping(memory));
    return new WeakReference<>(memory);
  }

  @Test
  void connectionsLeaveNoThreadsAndNoFiles() throws Exception {
    Setup s = new Setup();
    for (int i = 0; i < 20; i++) {
      connectReadClose(s);
    }
    int files = LeakCheck.openFiles();
    int threads = LeakCheck.transportThreads().size();
    for (int i = 0; i < connectCount(); i++) {
      connectReadClose(s);
    }
    // The server's ends of the last few may still be closing; the test's time limit ends this.
    while (LeakCheck.openFiles() > files + 10
        || LeakCheck.transportThreads().size() > threads + 5) {
      Thread.onSpinWait();
    }
  }

  /** What is registered of the fixture: mapping and file, unless a subclass leaves one out. */
  protected MemoryRegion region(RegionFixture fixture) {
    return fixture.region();
  }

  /** How many connections the leak test makes. */
  protected int connectCount() {
    return 500;
  }

  private void connectReadClose(Setup s) throws Exception {
    try (Connection connection = s.client.connect(s.server.address(), LONG_MS)) {
      await(connection.read(s.descriptor, 5, s.landing, 0, 16, LONG_MS));
    }
  }

  /** One server with one region, one client with one connection and landing memory. */
  protected final class Setup {
    public final RegionFixture fixture;
    public final ServerEndpoint server;
    public final RegionDescriptor descriptor;
    public final ClientEndpoint client;
    public final RegisteredBuffer landing;
    public final Connection connection;

    public Setup() throws Exception {
      fixture = closing(new RegionFixture(dir, REGION_BYTES, 42));
      server = closing(provider.listen(bindAddress()));
      descriptor =
          RegionDescriptor.decode(ByteBuffer.wrap(server.register(region(fixture)).encode()));
      client = closing(provider.openClient());
      landing = landing(client, REGION_BYTES);
      connection = closing(client.connect(server.address(), LONG_MS));
    }
  }

  /** A client connected to a server that does not answer. */
  protected final class Silence {
    public final SilentServer server;
    public final ClientEndpoint client;
    public final RegisteredBuffer landing;
    public final Connection connection;

    public Silence() throws Exception {
      skipIf(whyNoServerIsSilent());
      server = closing(startSilentServer());
      client = closing(provider.openClient());
      landing = landing(client, 1024);
      connection = closing(client.connect(server.address(), LONG_MS));
      server.fallSilent();
    }
  }
}
