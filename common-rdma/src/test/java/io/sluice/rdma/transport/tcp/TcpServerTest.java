package io.sluice.rdma.transport.tcp;

import static io.sluice.rdma.transport.tcp.TcpProtocol.*;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.sluice.rdma.memory.LendingReader;
import io.sluice.rdma.memory.LendingReader.LentBytes;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.threads.UnsayableError;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegionFixture;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.tcp.TcpServerEndpoint.TcpServerTimeouts;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(300)
class TcpServerTest {
  private static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private static final long LONG_MS = 120_000;

  @TempDir private Path dir;
  private final LeakCheck leaks = new LeakCheck();

  @AfterEach
  void checkForLeaks() throws Exception {
    leaks.check();
  }

  @Test
  void servesFromAMappingAndFromAFileAlone() throws Exception {
    int length = 3 << 20;
    try (RegionFixture fixture = new RegionFixture(dir, length, 8);
        ServerEndpoint server = new TcpProvider().listen(ANY_PORT);
        Client client = new Client(server, length)) {
      RegionDescriptor mapped = server.register(MemoryRegion.ofMapping(fixture.mapping()));
      client.read(mapped, 4097, length - 4097);
      assertEquals(-1, fixture.mismatch(4097, client.landed(length - 4097)));
      RegionDescriptor file =
          server.register(MemoryRegion.ofFile(fixture.file(), 1000, length - 1000));
      client.read(file, 24, length - 1024);
      assertEquals(-1, fixture.mismatch(1024, client.landed(length - 1024)));
    }
  }

  @Test
  void aConnectionThatMemoryIsRefusedForIsClosedAtOnceAndTheNextIsServed() throws Exception {
    AtomicInteger buffers = new AtomicInteger();
    IntFunction<ByteBuffer> memory =
        lengthBytes -> {
          if (buffers.incrementAndGet() == 2) { // the first has one already
            throw new UnsayableError(); // as of memory
          }
          return OffHeap.allocate(lengthBytes);
        };
    try (ServerEndpoint server =
            TcpServerEndpoint.open(
                ANY_PORT, Admission.open(limits(10, 60_000)), TcpServerTimeouts.DEFAULT, memory);
        Socket refused = new Socket()) {
      refused.connect(server.address());
      refused.setSoTimeout((int) LONG_MS);
      assertEquals(-1, refused.getInputStream().read());
      try (RegionFixture fixture = new RegionFixture(dir, 4096, 8);
          Client client = new Client(server, 4096)) {
        RegionDescriptor mapped = server.register(MemoryRegion.ofMapping(fixture.mapping()));
        client.read(mapped, 0, 4096);
      }
    }
  }

  /** Whatever it is: what is there by then is given back, the port above all. */
  @Test
  void anEndpointThatCannotBeOpenedLeavesNothing() throws Exception {
    InetSocketAddress address;
    try (ServerEndpoint server = new TcpProvider().listen(ANY_PORT)) {
      address = server.address();
    }
    Admission admission = Admission.open(limits(1, 60_000));
    TcpServerTimeouts noPatience = null;
    assertThrows(
        NullPointerException.class, () -> TcpServerEndpoint.open(address, admission, noPatience));
    assertThrows(
        NullPointerException.class,
        () -> TcpServerEndpoint.open(address, null, TcpServerTimeouts.DEFAULT));
    TcpServerEndpoint.open(address, admission, TcpServerTimeouts.DEFAULT).close();
  }

  @Test
  void servingCopiesNothingOntoTheHeap() throws Exception {
    int length = 64 << 20;
    try (RegionFixture fixture = new RegionFixture(dir, length, 8);
        ServerEndpoint server = new TcpProvider().listen(ANY_PORT);
        Client client = new Client(server, 1 << 20)) {
      MemoryRegion[] kinds = {
        MemoryRegion.ofFile(fixture.file(), 0, length), MemoryRegion.ofMapping(fixture.mapping())
      };
      for (MemoryRegion kind : kinds) {
        RegionDescriptor descriptor = server.register(kind);
        client.read(descriptor, 0, 1 << 20);
        long before = bytesAllocatedBy("sluice-tcp-");
        for (int offset = 0; offset < length; offset += 1 << 20) {
          client.read(descriptor, offset, 1 << 20);
        }
        long allocated = bytesAllocatedBy("sluice-tcp-") - before;
        assertTrue(allocated < 1 << 20, "serving 64 MiB allocated " + allocated + " bytes");
      }
    }
  }

  private static long bytesAllocatedBy(String threadNames) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return LeakCheck.transportThreads().stream()
        .filter(thread -> thread.getName().startsWith(threadNames))
        .mapToLong(thread -> threads.getThreadAllocatedBytes(thread.getId()))
        .sum();
  }

  @Test
  void aFileTruncatedUnderItsRegistrationFailsTheRead() throws Exception {
    int length = 1 << 20;
    try (RegionFixture fixture = new RegionFixture(dir, length, 8);
        ServerEndpoint server = new TcpProvider().listen(ANY_PORT);
        Client client = new Client(server, length)) {
      RegionDescriptor descriptor = server.register(MemoryRegion.ofFile(fixture.file(), 0, length));
      fixture.file().setLength(length / 2);
      ExecutionException e =
          assertThrows(ExecutionException.class, () -> client.read(descriptor, 0, length));
      assertInstanceOf(ConnectionLostException.class, e.getCause());
      assertThrows(
          RegistrationException.class,
          () -> server.register(MemoryRegion.ofFile(fixture.file(), 0, length)));
    }
  }

  @Test
  void aClientThatTakesNothingCannotKeepARegionRegistered() throws Exception {
    int length = 64 << 20; // more than the socket's buffers
    try (RegionFixture fixture = new RegionFixture(dir, length, 8);
        ServerEndpoint server = new TcpProvider().listen(ANY_PORT);
        RawClient slow = new RawClient(server)) {
      RegionDescriptor descriptor = server.register(fixture.region());
      slow.welcomed();
      slow.request(1, descriptor, 0, length);
      assertEquals(1, slow.in.readLong()); // it is being served
      server.deregister(descriptor);
      assertEquals(0, server.counters().registrations());
      assertCut(slow, length);
    }
  }

  /** What is left of the first response ends before {@code length} bytes of data. */
  private static void assertCut(RawClient client, int length) {
    assertThrows(IOException.class, () -> client.in.skipNBytes(length + Integer.BYTES * 2));
  }

  @Test
  void closingTheServerEndsAClientThatTakesNothing() throws Exception {
    int length = 64 << 20;
    try (RegionFixture fixture = new RegionFixture(dir, length, 8);
        ServerEndpoint server = new TcpProvider().listen(ANY_PORT);
        RawClient slow = new RawClient(server)) {
      slow.welcomed();
      slow.request(1, server.register(fixture.region()), 0, length);
      assertEquals(1, slow.in.readLong());
      assertDoesNotThrow(server::close);
      assertEquals(0, server.counters().openConnections());
    }
  }

  /** As clients of the next release and of the one before say it. */
  @ParameterizedTest
  @CsvSource({
    VERSION + ", " + VERSION + ", " + VERDICT_WELCOME,
    VERSION + ", 99, " + VERDICT_WELCOME,
    "0, " + VERSION + ", " + VERDICT_WELCOME,
    "99, 99, " + VERDICT_OTHER_VERSION,
    "0, 1, " + VERDICT_OTHER_VERSION
  })
  void aClientThatHasAVersionInCommonIsWelcome(int oldest, int newest, int verdict)
      throws Exception {
    try (ServerEndpoint server = new TcpProvider().listen(ANY_PORT);
        RawClient client = new RawClient(server)) {
      client.hello(oldest, newest);
      assertEquals(MAGIC, client.in.readInt());
      assertEquals(VERSION, client.in.readShort());
      assertEquals(verdict, client.in.readShort());
    }
  }

  @Test
  void refusesHostileRangesAndGoesOnServing() throws Exception {
    try (RegionFixture fixture = new RegionFixture(dir, 4096, 8);
        ServerEndpoint server = new TcpProvider().listen(ANY_PORT);
        RawClient client = new RawClient(server)) {
      RegionDescriptor descriptor = server.register(fixture.region());
      client.welcomed();
      long[][] ranges = {
        {-1, 10}, {4096, 1}, {0, 4097}, {Long.MAX_VALUE, 10}, {10, -1}, {0, Integer.MIN_VALUE}
      };
      for (long[] range : ranges) {
        client.request(5, descriptor, range[0], (int) range[1]);
        assertEquals(5, client.in.readLong());
        assertEquals(STATUS_REFUSED, client.in.readInt());
        client.in.skipNBytes(client.in.readInt());
      }
      client.request(6, descriptor, 4095, 1);
      assertEquals(6, client.in.readLong());
      assertEquals(STATUS_OK, client.in.readInt());
      assertEquals(1, client.in.readInt());
      assertEquals(fixture.mapping().get(4095), client.in.readByte());
    }
  }

  @Test
  void garbageInsteadOfAHelloDisturbsNobodyAndIsCounted() throws Exception {
    Admission admission = Admission.open(limits(10, 60_000));
    try (RegionFixture fixture = new RegionFixture(dir, 4096, 8);
        ServerEndpoint server = new TcpProvider().listen(ANY_PORT, admission);
        RawClient http = new RawClient(server);
        Client client = new Client(server, 4096)) {
      http.out.write(
          "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII)); // in one piece: it hangs up soon
      assertThrows(IOException.class, http.in::readByte);
      assertEquals(1, admission.counters().dropped());
      client.read(server.register(fixture.region()), 0, 4096);
      assertEquals(-1, fixture.mismatch(0, client.landed(4096)));
    }
  }

  @Test
  void aClientThatNeverSaysHelloIsEndedAndCounted() throws Exception {
    Admission admission = Admission.open(limits(10, 60_000));
    try (ServerEndpoint server = new TcpProvider().listen(ANY_PORT, admission);
        RawClient mute = new RawClient(server)) {
      assertEquals(-1, mute.in.read());
      assertEquals(1, admission.counters().expelled());
      assertEquals(0, admission.counters().dropped());
    }
  }

  @Test
  void clientsThatStallAreGivenUpAndIdleOnesAreNot() throws Exception {
    int length = 64 << 20;
    Admission admission = // to which the timeouts is shorter than the time for a hello
        Admission.open(new ConnectionLimits(10, 8, 60_000, 60_000));
    try (RegionFixture fixture = new RegionFixture(dir, length, 8);
        ServerEndpoint server =
            new TcpProvider(new TcpServerTimeouts(1_000, 1_000)).listen(ANY_PORT, admission);
        RawClient idle = new RawClient(server).welcomed();
        RawClient mute = new RawClient(server);
        RawClient slow = new RawClient(server).welcomed()) {
      RegionDescriptor descriptor = server.register(fixture.region());
      slow.request(1, descriptor, 0, length);
      assertEquals(-1, mute.in.read()); // it never said hello
      idle.request(2, descriptor, 0, 1);
      assertEquals(2, idle.in.readLong());
      while (server.counters().openConnections() > 1) { // ends by the test's timeout if never
        Thread.onSpinWait();
      }
      assertEquals(2, admission.counters().dropped());
      assertCut(slow, length);
    }
  }

  /** A path in it may be of any length; a client that is sent more than it may get hangs up. */
  @Test
  void aLongReasonIsCutBetweenCharactersAndEndsNoConnection() throws Exception {
    LendingReader reader =
        (offsetBytes, lengthBytes) -> {
          throw new IOException("x" + "\u20ac".repeat(MAX_MESSAGE_BYTES));
        };
    try (ServerEndpoint server =
            new TcpProvider().listen(ANY_PORT, Admission.open(limits(10, 600_000)));
        RawClient client = new RawClient(server).welcomed()) {
      RegionDescriptor region = server.register(MemoryRegion.ofReader(reader, 100));
      for (int id = 1; id <= 2; id++) {
        client.request(id, region, 0, 100);
        assertEquals(id, client.in.readLong());
        assertEquals(STATUS_REFUSED, client.in.readInt());
        int lengthBytes = client.in.readInt();
        assertTrue(lengthBytes <= MAX_MESSAGE_BYTES, lengthBytes + " bytes");
        String message = new String(client.in.readNBytes(lengthBytes), UTF_8);
        assertTrue(message.endsWith("\u20ac"), message);
      }
    }
  }

  /** Others wait for it, and not for as long as a client may stall. */
  @Test
  void memoryThatIsLentComesBackFromAClientThatTakesNothing() throws Exception {
    ByteBuffer memory = OffHeap.allocate(1 << 20);
    Semaphore lendable = new Semaphore(1);
    CountDownLatch lent = new CountDownLatch(1);
    LendingReader reader =
        (offsetBytes, lengthBytes) -> {
          lendable.acquireUninterruptibly();
          lent.countDown();
          return new LentBytes() {
            @Override
            public ByteBuffer bytes() {
              return memory.slice(0, Math.min(lengthBytes, memory.capacity()));
            }

            @Override
            public void close() {
              lendable.release();
            }
          };
        };
    int length = 64 << 20;
    TcpServerTimeouts timeouts = new TcpServerTimeouts(600_000, 200);
    try (ServerEndpoint server =
            new TcpProvider(timeouts).listen(ANY_PORT, Admission.open(limits(10, 600_000)));
        RawClient slow = new RawClient(server).welcomed()) {
      slow.request(1, server.register(MemoryRegion.ofReader(reader, length)), 0, length);
      lent.await();
      while (server.counters().openConnections() > 0) {
        Thread.onSpinWait(); // ends by the test's timeout if never
      }
      assertEquals(1, lendable.availablePermits());
      assertCut(slow, length);
    } finally {
      OffHeap.free(memory);
    }
  }

  @Test
  void anIdleConnectionIsEndedAndTheClientMayComeAgain() throws Exception {
    try (RegionFixture fixture = new RegionFixture(dir, 4096, 8);
        ServerEndpoint server =
            new TcpProvider().listen(ANY_PORT, Admission.open(limits(1, 1_000)));
        RawClient idle = new RawClient(server).welcomed()) {
      RegionDescriptor descriptor = server.register(fixture.region());
      assertEquals(-1, idle.in.read());
      while (server.counters().openConnections() > 0) { // ends by the test's timeout if never
        Thread.onSpinWait();
      }
      try (Client client = new Client(server, 4096)) {
        client.read(descriptor, 0, 4096);
        assertEquals(-1, fixture.mismatch(0, client.landed(4096)));
      }
    }
  }

  /** A byte now and then is no hello, and a crowd of such keeps out nobody who is expected. */
  @Test
  void aCrowdWithoutATicketKeepsOutNobodyWhoHasOne() throws Exception {
    List<RawClient> crowd = new ArrayList<>();
    Admission admission = Admission.expected(limits(2, 60_000));
    try (RegionFixture fixture = new RegionFixture(dir, 4096, 8);
        ServerEndpoint server = new TcpProvider().listen(ANY_PORT, admission);
        ClientEndpoint client = new TcpProvider().openClient()) {
      server.register(fixture.region());
      for (int i = 0; i < 2_000; i++) {
        RawClient mute = new RawClient(server);
        crowd.add(mute);
        mute.out.write(MAGIC >>> 24);
      }
      for (int i = 0; i < 2; i++) {
        Ticket ticket = admission.expect(null, Set.of()).orElseThrow();
        client.connect(server.address(), ticket, LONG_MS);
      }
      for (RawClient mute : crowd) {
        assertThrows(
            IOException.class,
            () -> {
              if (mute.in.read() < 0) {
                throw new IOException("ended");
              }
            });
      }
    } finally {
      for (RawClient mute : crowd) {
        mute.close();
      }
    }
  }

  @Test
  void moreConnectionsThanItTakesAreRefusedByName() throws Exception {
    try (ServerEndpoint server =
            new TcpProvider().listen(ANY_PORT, Admission.open(limits(1, 60_000)));
        Client first = new Client(server, 64);
        ClientEndpoint second = new TcpProvider().openClient()) {
      assertTrue(first.connection.isOpen());
      ConnectFailedException e =
          assertThrows(
              ConnectFailedException.class, () -> second.connect(server.address(), LONG_MS));
      assertTrue(e.getMessage().contains("its limit on connections"), e.getMessage());
    }
  }

  private static ConnectionLimits limits(int maxConnections, long idleTimeoutMs) {
    return new ConnectionLimits(maxConnections, 8, 1_000, idleTimeoutMs);
  }

  private static final class Client implements AutoCloseable {
    final ClientEndpoint endpoint = new TcpProvider().openClient();
    final ByteBuffer memory;
    final RegisteredBuffer landing;
    final Connection connection;

    Client(ServerEndpoint server, int landingBytes) throws Exception {
      memory = OffHeap.allocate(landingBytes);
      landing = endpoint.register(memory);
      connection = endpoint.connect(server.address(), LONG_MS);
    }

    void read(RegionDescriptor descriptor, long offset, int length) throws Exception {
      connection
          .read(descriptor, offset, landing, 0, length, LONG_MS)
          .get(LONG_MS, TimeUnit.MILLISECONDS);
    }

    ByteBuffer landed(int length) {
      return landing.buffer().slice(0, length);
    }

    @Override
    public void close() {
      endpoint.close();
      OffHeap.free(memory);
    }
  }

  /** Speaks the protocol by hand. */
  private static final class RawClient implements AutoCloseable {
    final Socket socket;
    final DataInputStream in;
    final DataOutputStream out;

    RawClient(ServerEndpoint server) throws Exception {
      socket = new Socket(server.address().getAddress(), server.address().getPort());
      in = new DataInputStream(socket.getInputStream());
      out = new DataOutputStream(socket.getOutputStream());
    }

    RawClient welcomed() throws Exception {
      hello(OLDEST, VERSION);
      in.skipNBytes(WELCOME_BYTES);
      return this;
    }

    void hello(int oldest, int newest) throws Exception {
      out.writeInt(MAGIC);
      out.writeShort(newest);
      out.writeShort(oldest);
      out.write(new byte[Ticket.LENGTH_BYTES]);
    }

    void request(long id, RegionDescriptor descriptor, long offset, int length) throws Exception {
      ByteBuffer request = ByteBuffer.allocate(REQUEST_BYTES);
      request.putLong(id).putLong(descriptor.regionId()).putLong(descriptor.key());
      request.putLong(offset).putInt(length);
      out.write(request.array());
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
