package io.sluice.rdma.transport.tcp;

import static io.sluice.rdma.transport.tcp.ScriptedServer.header;
import static io.sluice.rdma.transport.tcp.ScriptedServer.readRequest;
import static io.sluice.rdma.transport.tcp.ScriptedServer.welcome;
import static io.sluice.rdma.transport.tcp.TcpProtocol.STATUS_OK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.LendingReader.LentBytes;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegionFixture;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.TransportException.ReadTimeoutException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many connections of one endpoint, which share few threads. */
@Timeout(300)
class TcpReadLoopsTest {
  private static final int REGION_BYTES = 8 << 20;
  private static final int MANY = 300;
  private static final int LOOPS = 2;
  private static final long LONG_MS = 120_000;

  @TempDir private Path dir;
  private final LeakCheck leaks = new LeakCheck();
  private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
  private RegionFixture fixture;
  private ServerEndpoint server;
  private RegionDescriptor region;
  private ClientEndpoint client;
  private RegisteredBuffer landing;

  @BeforeEach
  void open() throws Exception {
    fixture = closing(new RegionFixture(dir, REGION_BYTES, 1));
    server =
        closing(
            new TcpProvider().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
    region = server.register(fixture.region());
    ByteBuffer memory = OffHeap.allocate(REGION_BYTES);
    closing(() -> OffHeap.free(memory));
    client = closing(new TcpClientEndpoint(LOOPS));
    landing = client.register(memory);
  }

  @AfterEach
  void close() throws Exception {
    while (!toClose.isEmpty()) {
      toClose.pop().close();
    }
    leaks.check();
  }

  private <T extends AutoCloseable> T closing(T resource) {
    toClose.push(resource);
    return resource;
  }

  private Connection connect() throws TransportException {
    return client.connect(server.address(), LONG_MS);
  }

  private CompletableFuture<Void> read(Connection connection, int offset, int length) {
    return connection.read(region, offset, landing, offset, length, LONG_MS);
  }

  /** With a callback that is there before the read is done, so that it runs where reads end. */
  private CompletableFuture<Void> readThen(Connection connection, Runnable callback)
      throws TransportException {
    CountDownLatch begin = new CountDownLatch(1);
    RegionDescriptor waiting =
        server.register(
            MemoryRegion.ofReader(
                (offsetBytes, lengthBytes) -> {
                  awaitUnchecked(begin);
                  return new Lent(fixture.mapping().slice((int) offsetBytes, lengthBytes));
                },
                REGION_BYTES));
    CompletableFuture<Void> done =
        connection.read(waiting, 0, landing, 0, 100, LONG_MS).thenRun(callback);
    begin.countDown();
    return done;
  }

  private record Lent(ByteBuffer bytes) implements LentBytes {
    @Override
    public void close() {}
  }

  private static void await(CompletableFuture<?> read) throws Exception {
    read.get(LONG_MS, TimeUnit.MILLISECONDS);
  }

  private static <T extends Throwable> void assertFails(
      Class<T> expected, CompletableFuture<Void> read) {
    ExecutionException e = assertThrows(ExecutionException.class, () -> await(read));
    assertInstanceOf(expected, e.getCause());
  }

  private static long readingThreads() {
    return LeakCheck.transportThreads().stream()
        .filter(thread -> thread.getName().startsWith("sluice-tcp-read"))
        .count();
  }

  @Test
  void eachConnectionHasOneFileAndAllHaveFewThreads() throws Exception {
    await(read(connect(), 0, 10)); // what is loaded with the first stays open
    int files = LeakCheck.openFiles();
    long threads = readingThreads();
    List<CompletableFuture<Void>> reads = new ArrayList<>();
    int length = REGION_BYTES / MANY;
    for (int i = 0; i < MANY; i++) {
      reads.add(read(connect(), i * length, length));
    }
    for (CompletableFuture<Void> read : reads) {
      await(read);
    }
    assertEquals(-1, fixture.mismatch(0, landing.buffer().slice(0, MANY * length)));
    int opened = LeakCheck.openFiles() - files;
    assertTrue(opened <= 2 * MANY + 20, opened + " files for both ends of " + MANY);
    assertTrue(readingThreads() <= threads + LOOPS - 1, readingThreads() + " threads");
  }

  @Test
  void closingTheEndpointEndsHundredsAtOnce() throws Exception {
    SilentPeers silent = closing(new SilentPeers());
    List<Connection> connections = new ArrayList<>();
    List<CompletableFuture<Void>> reads = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      Connection connection = client.connect(silent.address(), LONG_MS);
      connections.add(connection);
      reads.add(read(connection, 0, 10));
      reads.add(read(connection, 10, 10));
    }
    client.close();
    for (CompletableFuture<Void> read : reads) {
      assertTrue(read.isDone());
      assertFails(ConnectionLostException.class, read);
    }
    connections.forEach(connection -> assertFalse(connection.isOpen()));
    assertEquals(0, client.counters().openConnections());
    assertEquals(0, client.counters().registeredBytes());
  }

  /** As many as have no turn to spare would have: each loop has several of them. */
  @Test
  void silentAndSlowPeersHoldUpNobody() throws Exception {
    SilentPeers silent = closing(new SilentPeers());
    List<CompletableFuture<Void>> hanging = new ArrayList<>();
    for (int i = 0; i < 5 * LOOPS; i++) {
      hanging.add(read(client.connect(silent.address(), LONG_MS), 0, 10));
    }
    CountDownLatch over = new CountDownLatch(1);
    ScriptedServer slow =
        closing(
            new ScriptedServer(
                (in, out) -> {
                  welcome(out);
                  header(out, readRequest(in), STATUS_OK, 1000);
                  out.write(new byte[999]);
                  try {
                    over.await();
                  } catch (InterruptedException e) {
                    throw new AssertionError(e);
                  }
                  out.write(0);
                }));
    CompletableFuture<Void> half = read(client.connect(slow.address(), LONG_MS), 4_000, 1000);
    for (int i = 0; i < 2 * LOOPS; i++) {
      await(read(connect(), 8_000, 1_000_000));
    }
    assertFalse(half.isDone());
    over.countDown();
    await(half);
    hanging.forEach(read -> assertFalse(read.isDone()));
    client.close();
  }

  /** A late one ends its own connection only. */
  @Test
  void aLateReadCostsNoOtherConnection() throws Exception {
    SilentPeers silent = closing(new SilentPeers());
    List<Connection> others = new ArrayList<>();
    for (int i = 0; i < 2 * LOOPS; i++) {
      others.add(connect());
    }
    Connection late = client.connect(silent.address(), LONG_MS);
    assertFails(ReadTimeoutException.class, late.read(region, 0, landing, 0, 10, 20));
    assertFalse(late.isOpen());
    for (Connection other : others) {
      await(read(other, 0, 100));
    }
  }

  /** It holds up its own connection, until it returns. */
  @Test
  void aCallbackThatBlocksHoldsUpNoOtherConnection() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    List<Connection> blocked = new ArrayList<>();
    List<CompletableFuture<Void>> callbacks = new ArrayList<>();
    CountDownLatch blocking = new CountDownLatch(LOOPS);
    for (int i = 0; i < LOOPS; i++) {
      Connection connection = connect();
      blocked.add(connection);
      callbacks.add(
          readThen(
              connection,
              () -> {
                blocking.countDown();
                awaitUnchecked(over);
              }));
    }
    blocking.await();
    List<CompletableFuture<Void>> after = new ArrayList<>();
    for (Connection connection : blocked) {
      after.add(read(connection, 0, 100));
    }
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 2 * LOOPS; i++) {
        await(read(connect(), 2_000_000, 1_000_000));
      }
    }
    after.forEach(read -> assertFalse(read.isDone()));
    over.countDown();
    for (CompletableFuture<Void> each : callbacks) {
      await(each);
    }
    for (CompletableFuture<Void> each : after) {
      await(each);
    }
    for (Connection connection : blocked) {
      await(read(connection, 0, REGION_BYTES));
      assertTrue(connection.isOpen());
    }
  }

  /** Its connection ends when it returns; the endpoint is closed by then. */
  @Test
  void theEndpointMayBeClosedWhileACallbackBlocks() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    CountDownLatch blocking = new CountDownLatch(1);
    CompletableFuture<Void> callback =
        readThen(
            connect(),
            () -> {
              blocking.countDown();
              awaitUnchecked(over);
            });
    blocking.await();
    List<CompletableFuture<Void>> others = new ArrayList<>();
    for (int i = 0; i < 2 * LOOPS; i++) {
      others.add(read(connect(), 0, 10));
    }
    CompletableFuture<Void> closed = CompletableFuture.runAsync(client::close);
    for (CompletableFuture<Void> other : others) { // read or failed
      other.handle((ok, failure) -> null).get(LONG_MS, TimeUnit.MILLISECONDS);
    }
    over.countDown();
    await(callback);
    await(closed);
    assertEquals(0, client.counters().openConnections());
  }

  @Test
  void aCallbackMayCloseOtherConnections() throws Exception {
    SilentPeers silent = closing(new SilentPeers());
    List<Connection> others = new ArrayList<>();
    List<CompletableFuture<Void>> reads = new ArrayList<>();
    for (int i = 0; i < 4 * LOOPS; i++) {
      Connection other = client.connect(silent.address(), LONG_MS);
      others.add(other);
      reads.add(read(other, 0, 10));
    }
    await(
        readThen(
            connect(),
            () -> {
              others.forEach(Connection::close);
              reads.forEach(read -> assertTrue(read.isDone()));
              assertTrue(readingThreads() <= LOOPS, "it was taken for one that blocks");
            }));
    await(read(connect(), 0, 10));
  }

  @Test
  void aCallbackMayCloseTheEndpoint() throws Exception {
    List<Connection> others = new ArrayList<>();
    for (int i = 0; i < 4 * LOOPS; i++) {
      others.add(connect());
    }
    await(readThen(connect(), client::close));
    others.forEach(other -> assertFalse(other.isOpen()));
    assertThrows(TransportException.class, this::connect);
  }

  /** What one leaves behind on the thread is no other's. */
  @Test
  void aCallbackThatIsInterruptedHarmsNobody() throws Exception {
    Connection first = connect();
    for (int i = 0; i < 50; i++) {
      await(readThen(first, () -> Thread.currentThread().interrupt()));
      for (int other = 0; other < LOOPS; other++) {
        try (Connection connection = connect()) {
          await(read(connection, 0, 10));
        }
      }
    }
    assertTrue(first.isOpen());
  }

  /** It goes on reading as long as the other does: each answer asks for the next. */
  @Test
  void aBusyConnectionLeavesTurnsToOthers() throws Exception {
    ByteBuffer memory = OffHeap.allocate(REGION_BYTES);
    closing(() -> OffHeap.free(memory));
    ClientEndpoint one = closing(new TcpClientEndpoint(1));
    RegisteredBuffer into = one.register(memory);
    Connection busy = one.connect(server.address(), LONG_MS);
    Connection other = one.connect(server.address(), LONG_MS);
    CountDownLatch over = new CountDownLatch(1);
    AtomicInteger underWay = new AtomicInteger(16);
    CompletableFuture<Void> idle = new CompletableFuture<>();
    for (int i = underWay.get(); i > 0; i--) {
      readOn(busy, into, over, underWay, idle);
    }
    for (int i = 0; i < 100; i++) {
      await(other.read(region, 0, into, 1 << 20, 1000, LONG_MS));
    }
    over.countDown();
    await(idle);
  }

  private void readOn(
      Connection busy,
      RegisteredBuffer into,
      CountDownLatch over,
      AtomicInteger underWay,
      CompletableFuture<Void> idle) {
    busy.read(region, 0, into, 0, 1 << 20, LONG_MS)
        .whenComplete(
            (ok, failure) -> {
              if (failure == null && over.getCount() > 0) {
                readOn(busy, into, over, underWay, idle);
              } else if (underWay.decrementAndGet() == 0) {
                idle.complete(null);
              }
            });
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
