package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.testing.SeenFromElsewhere;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Timeouts;
import io.sluice.node.wire.UnixStream;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.unix.UnixSocket;
import io.sluice.spill.disk.DeviceStats;
import io.sluice.spill.disk.IoClass;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.ledger.Holding.HolderRole;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.ExtentSource.PendingWrite;
import io.sluice.spill.store.OutputReads;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.store.StoreFullException;
import io.sluice.spill.testing.TestOutput;
import io.sluice.spill.testing.TestPool;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** What tasks write to the disk tier, which has no memory above it here. */
class DiskWriteTest extends SocketServerTestBase {
  private static final int UNIT_BYTES = 1 << 20;
  private static final long DISK_TIMEOUT_MS = 12_000;
  private static final String OTHER_APP = "application_1_0002";

  @Override
  StoreConfig.Builder pool() {
    return TestPool.withDisk(directory, 0).diskTimeoutMs(DISK_TIMEOUT_MS);
  }

  private static byte[] random(Random random, int lengthBytes) {
    byte[] bytes = new byte[lengthBytes];
    random.nextBytes(bytes);
    return bytes;
  }

  @Test
  void whatATaskWritesIsWhatReadersGet() throws IOException {
    Random random = TestSeed.random();
    TestOutput output = TestOutput.random(random, "attempt_0", 7, 9_000_000);
    try (SocketClient client = connect(APP)) {
      output.commit(APP, client);
    }
    CommittedOutput found = store.find(new OutputId(APP, "attempt_0")).orElseThrow();
    assertTrue(
        found.extents().stream().allMatch(extent -> extent.segment().tier() == Tier.DISK),
        found::toString);
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    for (byte[] run : output.runs()) {
      expected.writeBytes(run);
    }
    ByteBuffer read = ByteBuffer.allocate((int) output.totalBytes());
    new OutputReads(store::find).copy(found, 0, read);
    assertArrayEquals(expected.toByteArray(), read.array());
  }

  /** What a reduce has received gives way to others first, so it is written first. */
  @Test
  void whatAReduceWritesIsReceived() throws IOException {
    for (Borrower borrower : List.of(Borrower.map("map", 0), Borrower.reduce("reduce"))) {
      try (SocketClient client =
          SocketClient.connect(
              socket(),
              SeenFromElsewhere.owner(access()),
              borrower,
              APP,
              SECRET,
              Timeouts.all(TIMEOUT_MS))) {
        Extent extent = client.leaseContiguous(UNIT_BYTES);
        client.write(extent, 0, ByteBuffer.wrap(new byte[borrower.role().ordinal() + 1]));
      }
    }
    Map<IoClass, DeviceStats.Done> done = store.deviceStats().get(0).classes();
    assertEquals(HolderRole.MAP.ordinal() + 1, done.get(IoClass.WRITE_SORT).bytes());
    assertEquals(HolderRole.REDUCE.ordinal() + 1, done.get(IoClass.WRITE_RECEIVE).bytes());
  }

  @Test
  void writesGoWhereTheyAreMeantToWhateverTheirLength() throws IOException {
    Random random = TestSeed.random();
    byte[] expected = new byte[5 * UNIT_BYTES];
    try (SocketClient client = connect(APP)) {
      Extent extent = client.leaseContiguous(expected.length);
      for (int i = 0; i < 50; i++) {
        byte[] bytes = random(random, 1 + random.nextInt(2 * UNIT_BYTES));
        int offsetBytes = random.nextInt(expected.length - bytes.length);
        ByteBuffer from = ByteBuffer.wrap(bytes);
        client.write(extent, offsetBytes, from);
        assertEquals(0, from.remaining());
        System.arraycopy(bytes, 0, expected, offsetBytes, bytes.length);
      }
      client.force(extent);
      byte[] file = Files.readAllBytes(segmentPath(extent));
      int start = (int) extent.offsetBytes();
      assertArrayEquals(expected, Arrays.copyOfRange(file, start, start + expected.length));
    }
  }

  /** Its first page is written in part, through the file, whose monitor is held. */
  @Test
  void theNextUnitIsMadeWhileOneIsOnItsWay() throws IOException {
    byte[] unit = random(TestSeed.random(), 1_000);
    try (SocketClient client = connect(APP)) {
      Extent extent = client.leaseContiguous(UNIT_BYTES);
      PendingWrite pending;
      synchronized (file(extent)) {
        pending = client.beginWrite(extent, 1, ByteBuffer.wrap(unit)); // it cannot be there yet
      }
      pending.await();
      pending.await();
      byte[] file = Files.readAllBytes(segmentPath(extent));
      assertArrayEquals(unit, Arrays.copyOfRange(file, 1, 1 + unit.length));
    }
  }

  private SharedFile file(Extent extent) {
    return store.segment(extent.segment().segmentId()).orElseThrow().file();
  }

  /** It is told who wrote it, and nobody takes it for the answer to what was asked for next. */
  @Test
  void aUnitThatFailedIsTheFailureOfWhoAwaitsIt() throws IOException {
    try (SocketClient client = connect(APP)) {
      Extent extent = client.leaseContiguous(UNIT_BYTES);
      PendingWrite failing =
          client.beginWrite(extent, UNIT_BYTES, ByteBuffer.wrap(new byte[1_000])); // behind it
      PendingWrite next = client.beginWrite(extent, 0, ByteBuffer.wrap(new byte[1_000]));
      Extent other = client.leaseContiguous(UNIT_BYTES);
      next.await();
      client.write(other, 0, ByteBuffer.wrap(new byte[10]));
      assertThrows(RemoteError.class, failing::await);
      client.force(extent);
    }
  }

  /** Whoever met it, perhaps another thread: the writer must not take its unit for written. */
  @Test
  @EnabledForJreRange(max = JRE.JAVA_19, disabledReason = "needs Thread.stop")
  @SuppressWarnings("deprecation") // an Error where the answer is awaited
  void aUnitWhoseAnswerMeetsAnErrorIsNotTakenForWritten() throws Exception {
    try (SocketClient client = connect(APP)) {
      Extent extent = client.leaseContiguous(UNIT_BYTES);
      Thread asking = new Thread(() -> force(client, extent));
      PendingWrite pending;
      synchronized (file(extent)) { // it cannot be answered
        pending = client.beginWrite(extent, 1, ByteBuffer.wrap(new byte[1_000]));
        asking.start();
        Await.until("somebody who takes the answer", () -> isIn(asking, "receive"));
        asking.stop();
      }
      asking.join();
      assertThrows(IOException.class, pending::await);
    }
  }

  private static void force(SocketClient client, Extent extent) {
    try {
      client.force(extent);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isIn(Thread thread, String method) {
    return Arrays.stream(thread.getStackTrace()).anyMatch(it -> it.getMethodName().equals(method));
  }

  /** Nothing is acknowledged that a restart loses: what has no answer yet is sent once more. */
  @Test
  void aUnitThatARestartLosesIsSentAgain() throws Exception {
    byte[] unit = random(TestSeed.random(), 1_000);
    try (SocketClient client = connect(APP)) {
      Extent extent = client.leaseContiguous(UNIT_BYTES);
      Path path = segmentPath(extent);
      PendingWrite pending;
      CompletableFuture<Void> closing;
      synchronized (file(extent)) { // it cannot be there, or be answered
        pending = client.beginWrite(extent, 1, ByteBuffer.wrap(unit));
        store.quiesce();
        closing = CompletableFuture.runAsync(this::closeServer);
        Await.until("the end of the server", () -> !Files.exists(socket()));
      }
      closing.get();
      store.close();
      try (SharedFile lost = SharedFile.open(path)) {
        lost.write(0, ByteBuffer.allocate(unit.length + 1));
      }
      records = LeaseRecords.open(socket(), true);
      openStore(pool().formerLeases(records).recover(Set.of(APP)));
      server = startServer();
      pending.await();
      byte[] file = Files.readAllBytes(path);
      assertArrayEquals(unit, Arrays.copyOfRange(file, 1, 1 + unit.length));
      client.force(extent);
    }
  }

  private void closeServer() {
    try {
      memory.close();
      server.close();
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  private Path segmentPath(Extent extent) {
    return store.segment(extent.segment().segmentId()).orElseThrow().info().path();
  }

  @Test
  void whatIsNotLeasedCannotBeWrittenAndTheConnectionStaysUsable() throws IOException {
    try (SocketClient owner = connect(APP);
        SocketClient other = connect(APP)) {
      Extent extent = owner.leaseContiguous(2 * UNIT_BYTES);
      ByteBuffer bytes = ByteBuffer.wrap(new byte[UNIT_BYTES]);
      List<Extent> foreign = List.of(extent, new Extent(extent.segment(), 0, 1));
      for (Extent each : foreign) {
        assertThrows(RemoteError.class, () -> other.write(each, 0, bytes.duplicate()));
        assertThrows(RemoteError.class, () -> other.force(each));
      }
      assertThrows(RemoteError.class, () -> owner.write(extent, UNIT_BYTES + 1, bytes.duplicate()));
      assertThrows(RemoteError.class, () -> owner.write(extent, -1, bytes.duplicate()));
      long farBytes = Long.MAX_VALUE - 2 * UNIT_BYTES;
      assertThrows(RemoteError.class, () -> owner.write(extent, farBytes, bytes.duplicate()));
      assertEquals(7, refusals.counts().get(RefusalKind.BAD_MESSAGE), "attempts that are counted");
      owner.write(extent, UNIT_BYTES, bytes.duplicate());
      owner.release(List.of(extent));
      assertThrows(RemoteError.class, () -> owner.write(extent, 0, bytes.duplicate()));
      Extent next = other.leaseContiguous(UNIT_BYTES);
      other.write(next, 0, bytes);
    }
  }

  /** The device's memory is not the task's to keep. */
  @Test
  void tasksThatEndInTheMiddleOfAWriteTakeNothingWithThem() throws IOException {
    for (int i = 0; i < 20; i++) {
      try (MessageStream stream =
          UnixStream.connect(socket(), UnixSocket.Interrupts.END_IT, TIMEOUT_MS)) {
        Frames frames = new Frames(stream);
        hello(frames);
        beginWrite(frames, lease(frames), 100);
      }
    }
    Await.until("all leases came back", () -> store.stats().disk().leasedBytes() == 0);
    try (SocketClient client = connect(APP)) {
      client.write(client.leaseContiguous(UNIT_BYTES), 0, ByteBuffer.wrap(new byte[UNIT_BYTES]));
    }
  }

  @Test
  void oneMessageLeasesSoMuchAtMostAndATaskMayHaveMore() throws IOException {
    long mostBytes = SocketProtocol.MAX_LEASE_BYTES;
    for (int type :
        List.of(SocketProtocol.LEASE, SocketProtocol.LEASE_CONTIGUOUS, SocketProtocol.LEASE_DISK)) {
      try (MessageStream stream =
          UnixStream.connect(socket(), UnixSocket.Interrupts.END_IT, TIMEOUT_MS)) {
        Frames frames = new Frames(stream);
        hello(frames);
        frames.send(type, out -> out.writeLong(mostBytes + 1), TIMEOUT_MS);
        RemoteError refused = assertThrows(RemoteError.class, () -> receive(frames));
        assertEquals(RemoteError.Code.TOO_MUCH, refused.code());
        assertTrue(refused.getMessage().contains(" at most " + mostBytes), refused.getMessage());
      }
    }
    try (SocketClient client = connect(APP)) {
      List<Extent> extents = client.leaseDisk(mostBytes + UNIT_BYTES); // no byte is written there
      assertEquals(mostBytes + UNIT_BYTES, extents.stream().mapToLong(Extent::lengthBytes).sum());
    }
    Await.until("all leases came back", () -> store.stats().disk().leasedBytes() == 0);
  }

  /** What it was granted of that is given back, and its lease goes on. */
  @Test
  void aLeaseThatIsRefusedInPartIsRefusedAltogether() throws IOException {
    try (SocketClient client = connect(APP)) {
      long freeBytes = Files.getFileStore(directory).getUsableSpace();
      assertThrows(StoreFullException.class, () -> client.leaseDisk(2 * freeBytes));
      assertEquals(0, store.stats().disk().leasedBytes());
      assertEquals(1, client.leaseDisk(1).size());
    }
  }

  /** All of the device's memory would be theirs for longer than others wait for some. */
  @Test
  void tasksThatStopInTheMiddleOfAWriteDoNotKeepTheDeviceFromOthers() throws IOException {
    List<MessageStream> stopped = new ArrayList<>();
    try (SocketClient client = connect(OTHER_APP)) {
      for (int i = 0; i < 4; i++) {
        MessageStream stream =
            UnixStream.connect(socket(), UnixSocket.Interrupts.END_IT, TIMEOUT_MS);
        stopped.add(stream);
        Frames frames = new Frames(stream);
        hello(frames);
        Range leased = lease(frames);
        beginWrite(frames, leased, UNIT_BYTES - 1); // the service must have taken most of it
      }
      client.write(client.leaseContiguous(UNIT_BYTES), 0, ByteBuffer.wrap(new byte[UNIT_BYTES]));
    } finally {
      Closer.all(stopped);
    }
  }

  private static void beginWrite(Frames frames, Range leased, int sentBytes) throws IOException {
    frames.send(
        SocketProtocol.WRITE,
        out -> {
          out.writeInt(leased.segmentId());
          out.writeLong(leased.offsetBytes());
          out.writeInt(UNIT_BYTES);
        },
        ByteBuffer.wrap(new byte[sentBytes]),
        TIMEOUT_MS);
  }

  private void hello(Frames frames) throws IOException {
    sayHello(frames, access());
    receive(frames);
  }

  private Range lease(Frames frames) throws IOException {
    frames.send(SocketProtocol.LEASE, out -> out.writeLong(UNIT_BYTES), TIMEOUT_MS);
    return SocketProtocol.readExtents(receive(frames), store.paths()).get(0).range();
  }
}
