package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.socket.ClientSession.ServiceLink;
import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.socket.ServedApplications.ServedUsers;
import io.sluice.node.socket.ServedApplications.TaskRefusedException;
import io.sluice.node.testing.SeenFromElsewhere;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.HeapBudget;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIdentity.OutputStamp;
import io.sluice.spill.ledger.MemoryKind;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.MemorySource.MemoryUse;
import io.sluice.spill.store.StoreFullException;
import io.sluice.spill.testing.TestOutput;
import io.sluice.spill.testing.TestPool;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SocketServerTest extends SocketServerTestBase {
  private static final long A_SEGMENT_BYTES = TestPool.SEGMENT_BYTES;
  private static final long CAPACITY_BYTES = SEGMENTS * A_SEGMENT_BYTES;

  @Test
  void whatATaskCommitsCanBeFound() throws IOException {
    TestOutput output = TestOutput.random(new Random(1), "attempt_0", 5, 2 << 20);
    try (SocketClient client = connect(APP)) {
      assertEquals(store.poolId(), client.info().poolId());
      output.commit(APP, client);
    }
    awaitNothingLeased();
    assertEquals(
        output.totalBytes(), store.find(new OutputId(APP, "attempt_0")).orElseThrow().totalBytes());
  }

  @Test
  void leasesAreGrantedAndReleased() throws IOException {
    try (SocketClient client = connect(APP)) {
      List<Extent> extents = client.lease(3 * A_SEGMENT_BYTES / 2);
      Extent one = client.leaseContiguous(A_SEGMENT_BYTES / 2);
      assertEquals(3 * A_SEGMENT_BYTES / 2, extents.stream().mapToLong(Extent::lengthBytes).sum());
      assertEquals(A_SEGMENT_BYTES / 2, one.lengthBytes());
      assertEquals(2 * A_SEGMENT_BYTES, leasedBytes());
      client.release(extents);
      assertEquals(A_SEGMENT_BYTES / 2, leasedBytes());
    }
  }

  @Test
  void whatADeadTaskHeldComesBack() throws IOException {
    connect(APP).close();
    SocketClient client = connect(APP);
    client.lease(CAPACITY_BYTES);
    assertEquals(CAPACITY_BYTES, leasedBytes());
    client.close();
    awaitNothingLeased();
  }

  @Test
  void whatIsGrantedToATaskThatHasGoneComesBack() throws IOException {
    try (SocketClient holder = connect(APP)) {
      holder.release(holder.lease(CAPACITY_BYTES)); // waits until all of it is there
      List<Extent> held = new ArrayList<>();
      for (int i = 0; i < SEGMENTS - 1; i++) {
        held.add(holder.leaseMemory(MemoryUse.RECEIVE, A_SEGMENT_BYTES).orElseThrow());
      }
      SocketClient gone = connect(APP);
      CompletableFuture<IOException> waiting =
          CompletableFuture.supplyAsync(
              () -> assertThrows(IOException.class, () -> gone.lease(CAPACITY_BYTES / 2)));
      Await.until("it waits", () -> memory.snapshot().ledger().queued() == 1);
      gone.close();
      waiting.join();
      holder.release(held);
      Await.until("nobody holds it", () -> heldToWriteBytes() == 0);
    }
    awaitNothingLeased();
  }

  private long heldToWriteBytes() {
    return memory.snapshot().ledger().heldBytes().get(MemoryKind.WRITING);
  }

  @Test
  void applicationsAreFreedOneByOne() throws IOException {
    TestOutput output = TestOutput.single(new Random(1), "attempt_0", 100_000);
    for (String app : List.of(APP, "application_1_0002")) {
      try (SocketClient client = connect(app)) {
        output.commit(app, client);
      }
    }
    store.freeApplication(APP);
    assertTrue(store.find(new OutputId(APP, "attempt_0")).isEmpty());
    assertTrue(store.find(new OutputId("application_1_0002", "attempt_0")).isPresent());
  }

  @Test
  void aFullStoreSaysWhatToDoAndTheConnectionStaysUsable() throws IOException {
    try (SocketClient client = connect(APP)) {
      List<Extent> all = client.lease(CAPACITY_BYTES);
      StoreFullException e =
          assertThrows(StoreFullException.class, () -> client.lease(A_SEGMENT_BYTES));
      assertTrue(e.getMessage().contains("test.capacity"), e.getMessage());
      assertTrue(e.getMessage().contains("test.overflow.dirs"), e.getMessage());
      assertThrows(StoreFullException.class, () -> client.leaseContiguous(1));
      client.release(all);
      assertEquals(1, client.lease(A_SEGMENT_BYTES).size());
    }
  }

  /** A task that has written all of its output does not fail because others commit too. */
  @Test
  void aCommitWaitsForRoomOnTheHeap() throws IOException {
    server.close();
    heap = new HeapBudget("tasks", 1 << 20, false, 0);
    server = startServer();
    Owner other = new Owner(77);
    HeapBudget.Held held = heap.take(other, 1 << 20);
    try (SocketClient client = connect(APP)) {
      CompletableFuture<Void> commit =
          CompletableFuture.runAsync(
              () -> {
                try {
                  TestOutput.single(new Random(1), "attempt_0", 100_000).commit(APP, client);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      Await.until(
          "it was refused",
          () -> refusals.counts().get(RefusalKind.TOO_MANY) > 1 || commit.isDone());
      assertFalse(commit.isDone());
      assertEquals(Map.of(other, 1L << 20), heap.heldBytes());
      held.close();
      commit.join();
    }
    assertTrue(store.find(new OutputId(APP, "attempt_0")).isPresent());
    assertEquals(Map.of(), heap.heldBytes());
  }

  @Test
  void aForgedCommitIsRefusedAndTheConnectionStaysUsable() throws IOException {
    TestOutput output = TestOutput.single(new Random(1), "attempt_0", 100_000);
    try (SocketClient client = connect(APP)) {
      Extent extent = client.leaseContiguous(A_SEGMENT_BYTES);
      int segmentId = extent.segment().segmentId();
      List<FooterLocation> forged =
          List.of(
              new FooterLocation(segmentId, extent.offsetBytes()),
              new FooterLocation(segmentId, extent.offsetBytes() + extent.lengthBytes() - 96),
              new FooterLocation(segmentId, -1),
              new FooterLocation(segmentId, Long.MAX_VALUE),
              new FooterLocation(-1, 0),
              new FooterLocation(12345, 0));
      for (FooterLocation location : forged) {
        assertThrows(
            CorruptOutputException.class,
            () -> client.commit(new OutputStamp(new OutputId(APP, "attempt_0"), 0, 0), location),
            location::toString);
      }
      assertTrue(store.find(new OutputId(APP, "attempt_0")).isEmpty());
      output.commit(APP, client);
      assertTrue(store.find(new OutputId(APP, "attempt_0")).isPresent());
    }
  }

  @Test
  void anOutputCannotBeCommittedForAnotherApplication() throws IOException {
    TestOutput output = TestOutput.single(new Random(1), "attempt_0", 100);
    try (SocketClient client = connect(APP)) {
      assertThrows(IOException.class, () -> output.commit("application_1_0002", client));
      assertTrue(store.applications().isEmpty());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 40})
  void hostileSizesAreRefusedAndTheConnectionStaysUsable(long lengthBytes) throws IOException {
    try (SocketClient client = connect(APP)) {
      assertThrows(IOException.class, () -> client.lease(lengthBytes));
      assertThrows(IOException.class, () -> client.leaseContiguous(lengthBytes));
      assertEquals(0, leasedBytes());
      assertEquals(1, client.lease(1).size());
    }
  }

  @Test
  void whatIsNotLeasedCannotBeReleased() throws IOException {
    try (SocketClient client = connect(APP);
        SocketClient other = connect(APP)) {
      List<Extent> others = other.lease(A_SEGMENT_BYTES);
      RemoteError e = assertThrows(RemoteError.class, () -> client.release(others));
      assertTrue(e.getMessage().contains("not leased here"), e.getMessage());
      assertEquals(A_SEGMENT_BYTES, leasedBytes());
      assertEquals(1, client.lease(1).size());
    }
  }

  @Test
  void aStoppedApplicationIsToldSo() throws IOException {
    try (SocketClient client = connect(APP)) {
      client.lease(1);
      store.freeApplication(APP);
      RemoteError e = assertThrows(RemoteError.class, () -> client.lease(1));
      assertTrue(e.getMessage().contains("stopped"), e.getMessage());
    }
    awaitNothingLeased();
  }

  @Test
  void manyTasksAtOnceGetWhatTheyAskFor() throws Exception {
    ExecutorService tasks = Executors.newFixedThreadPool(10); // each takes a 16th of the pool
    try {
      List<Callable<Void>> all =
          IntStream.range(0, 60)
              .<Callable<Void>>mapToObj(
                  i ->
                      () -> {
                        try (SocketClient client = connect(APP)) {
                          TestOutput.single(new Random(i), "attempt_" + i, 1000)
                              .commit(APP, client);
                        }
                        return null;
                      })
              .toList();
      for (Future<Void> done : tasks.invokeAll(all)) {
        done.get();
      }
      assertEquals(60, store.stats().outputs());
    } finally {
      tasks.shutdown();
    }
  }

  @Test
  void aTaskOfAServiceThatHasEndedFails() throws IOException {
    try (SocketClient client = SocketClient.connect(socket(), APP, SECRET, 2_000)) {
      client.lease(1);
      server.close();
      assertThrows(IOException.class, () -> client.lease(1));
      assertFalse(Files.exists(socket()));
    }
  }

  @Test
  void replacesTheSocketOfADeadService() throws IOException {
    server.close();
    Files.createFile(socket());
    server = startServer();
    connect(APP).close();
  }

  @Test
  void aPathThatIsTooLongForASocketIsNamed() {
    Path tooLong = directory.resolve("x".repeat(120));
    IOException e =
        assertThrows(
            IOException.class,
            () -> SocketServer.start(backend(this::admit), tooLong, ConnectionLimits.DEFAULT));
    assertTrue(e.getMessage().contains(tooLong.toString()), e.getMessage());
  }

  /** The service of a node leaves some to the tasks of others; that of one user has no others. */
  @Test
  void oneUserTakesNotAllConnectionsThatUsersShare() throws IOException {
    server.close();
    server =
        SocketServer.start(
            backend(this::admit), socket(), new ConnectionLimits(4, 8, TIMEOUT_MS, TIMEOUT_MS));
    List<SocketClient> tasks = new ArrayList<>();
    try {
      for (int i = 0; i < (servedUsers() == ServedUsers.ALL ? 3 : 4); i++) {
        tasks.add(connect(APP));
      }
      RemoteError e = assertThrows(RemoteError.class, () -> connect(APP));
      assertEquals(RemoteError.Code.BUSY, e.code());
      assertTrue(e.getMessage().contains("raise its max-connections"), e.getMessage());
      assertEquals(1, refusals.counts().get(RefusalKind.TOO_MANY));
      assertEquals(tasks.size(), server.counters().open());
    } finally {
      Closer.all(tasks);
    }
  }

  /** Whoever ended it has ended the leases that there were then. */
  @Test
  void aTaskWhoseApplicationEndsBeforeItsLeaseIsOpenHasNone() throws IOException {
    server.close();
    server = SocketServer.start(backend(new EndingBetween()), socket(), ConnectionLimits.DEFAULT);
    RemoteError e = assertThrows(RemoteError.class, () -> connect(APP));
    assertEquals(RemoteError.Code.REFUSED, e.code());
    assertEquals(1, refusals.counts().get(RefusalKind.UNKNOWN_APPLICATION));
    assertEquals(List.of(), memory.snapshot().holdings());
  }

  private final class EndingBetween implements ServedApplications {
    @Override
    public void admit(String applicationId, Owner task, JobSecret secret) throws RemoteError {
      try {
        store.freeApplication(applicationId);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void confirm(String applicationId, Owner task) throws TaskRefusedException {
      throw new TaskRefusedException(
          RefusalKind.UNKNOWN_APPLICATION, RemoteError.Code.REFUSED, "it has ended");
    }
  }

  /** A request that is announced costs heap, whoever announces it and for how long. */
  @Test
  void aTaskThatAnnouncesALongRequestLosesItsConnection() throws IOException {
    try (MessageStream stream =
        ServiceLink.to(socket(), SeenFromElsewhere.owner(access())).connect(TIMEOUT_MS)) {
      Frames frames = new Frames(stream);
      sayHello(frames, access());
      receive(frames);
      ByteBuffer announced = ByteBuffer.allocate(4).putInt(0, Frames.MAX_SHORT_BYTES + 1);
      stream.writeFully(announced, TIMEOUT_MS);
      assertThrows(EOFException.class, () -> frames.receive(TIMEOUT_MS, TIMEOUT_MS));
    }
  }

  @Test
  void manyExtentsAreGivenBackAtOnce() throws IOException {
    try (SocketClient task = connect(APP)) {
      List<Extent> extents = new ArrayList<>();
      int blockBytes = task.info().blockBytes();
      for (Extent extent : task.lease(CAPACITY_BYTES)) {
        for (long at = 0; at < extent.lengthBytes(); at += blockBytes) {
          extents.add(new Extent(extent.segment(), extent.offsetBytes() + at, blockBytes));
        }
      }
      assertTrue(extents.size() > SocketProtocol.MAX_RELEASED);
      task.release(extents);
      assertEquals(0, leasedBytes());
    }
  }
}
