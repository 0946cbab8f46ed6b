package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.ledger.MemoryKind;
import io.sluice.spill.memory.MemoryManager.MemorySnapshot;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.StoreFullException;
import io.sluice.spill.store.StoreStats;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that is short, in a service that runs: outputs leave it, and the books stay right. */
class MemoryUnderLoadTest extends NodeTestBase {
  private static final int SEGMENTS = 4;
  private static final int OUTPUT_BYTES = 400_000;

  private final Random random = seeded("MemoryUnderLoadTest");
  private int others;

  /** The ledger says what the store says; nobody may be doing anything. */
  private void assertBooksAgree() {
    StoreStats store = service.store().stats();
    MemorySnapshot memory = service.memory().snapshot();
    Map<MemoryKind, Long> held = memory.ledger().heldBytes();
    assertEquals(store.memory().leasedBytes(), held.get(MemoryKind.WRITING), "writing");
    assertEquals(store.memory().committedBytes(), held.get(MemoryKind.SEND), "send");
    assertEquals(store.memory().quarantinedBytes(), held.get(MemoryKind.QUARANTINE), "quarantine");
    assertEquals(
        store.memory().capacityBytes() - store.memory().usedBytes(),
        memory.ledger().freeBytes(),
        "free");
  }

  private static String other(int i) {
    return "application_other_" + i;
  }

  /** Each by an application of its own, which has less than the one that has written before. */
  private void commitOfOthers(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      try (SocketClient task = task(other(i))) {
        TestOutput.single(random, "output", OUTPUT_BYTES).commit(other(i), task);
      }
      others++;
    }
  }

  private void assertEnds() throws IOException {
    for (int i = 0; i < others; i++) {
      service.applicationStopped(other(i));
    }
    service.applicationStopped(APP);
    assertBooksAgree();
    assertEquals(0, service.store().stats().memory().usedBytes());
    assertEquals(0, service.store().stats().disk().createdBytes());
  }

  /** Each reader was told of the outputs before they moved, and others write where they lay. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void outputsAreReadWhileTheyLeaveMemoryForOthers(boolean local) throws Exception {
    start(SEGMENTS);
    List<TestOutput> outputs = new ArrayList<>();
    try (NodeReader reader =
        reader(4, local ? service.metadata().poolId() : null, TIMEOUT_MS, new TcpProvider())) {
      List<NodeRun> runs = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        outputs.add(TestOutput.single(random, "output_" + i, OUTPUT_BYTES));
        commit(outputs.get(i));
        runs.add(locateOnly(reader, outputs.get(i).id()));
      }
      commitOfOthers(32);
      assertTrue(
          service.memory().snapshot().movedOutputs() >= 7,
          "moved " + service.memory().snapshot().movedOutputs());
      for (int i = 0; i < 8; i++) {
        assertEquals(local, runs.get(i).isLocal());
        assertArrayEquals(outputs.get(i).runs().get(0), readAll(runs.get(i)), "output " + i);
      }
    }
    assertBooksAgree();
    assertEnds();
  }

  @Test
  void readersAndWritersAndMovesGoOnTogether() throws Exception {
    start(SEGMENTS);
    List<TestOutput> outputs = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      outputs.add(TestOutput.random(random, "output_" + i, 5, OUTPUT_BYTES));
      commit(outputs.get(i));
    }
    AtomicBoolean done = new AtomicBoolean();
    List<CompletableFuture<Void>> readers = new ArrayList<>();
    for (boolean local : new boolean[] {true, false}) {
      readers.add(CompletableFuture.runAsync(() -> readUntil(done, outputs, local)));
    }
    commitOfOthers(54);
    done.set(true);
    for (CompletableFuture<Void> each : readers) {
      each.get();
    }
    assertTrue(service.memory().snapshot().movedOutputs() > 0);
    assertBooksAgree();
    assertEnds();
  }

  private void readUntil(AtomicBoolean done, List<TestOutput> outputs, boolean local) {
    try (NodeReader reader =
        reader(4, local ? service.metadata().poolId() : null, TIMEOUT_MS, new TcpProvider())) {
      do {
        assertReads(reader, outputs);
      } while (!done.get());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A move would write as much, and have the task wait for it besides. */
  @Test
  void whatHasNoRoomBesideItsApplicationsOutputsIsWrittenToDiskAtOnce() throws Exception {
    start(SEGMENTS);
    for (int i = 0; i < 30; i++) {
      commit(TestOutput.single(random, "output_" + i, OUTPUT_BYTES));
    }
    try (SocketClient task = task(APP)) {
      for (Extent extent : task.lease(OUTPUT_BYTES)) {
        assertEquals(Tier.DISK, extent.segment().tier());
      }
    }
    assertEquals(0, service.memory().snapshot().movedOutputs());
    assertEquals(0, service.memory().snapshot().waits().count());
    commitOfOthers(1);
    assertTrue(service.memory().snapshot().movedOutputs() > 0, "for one that has less");
    Await.until("the lease has ended", () -> service.store().stats().memory().leasedBytes() == 0);
    assertBooksAgree();
    assertEnds();
  }

  @Test
  void withoutADiskAllOfMemoryIsGrantedAndMoreIsRefused() throws Exception {
    service = NodeService.start(inMemory(SEGMENTS, new TcpProvider()));
    long capacityBytes = service.store().stats().memory().capacityBytes();
    try (SocketClient task = task(APP)) {
      long leftBytes = capacityBytes;
      while (leftBytes > 0) {
        leftBytes -= task.lease(capacityBytes / 16).get(0).lengthBytes();
      }
      assertBooksAgree();
      boolean refused = false;
      try {
        task.lease(1);
      } catch (StoreFullException e) {
        refused = true;
      }
      assertTrue(refused);
      assertBooksAgree();
    }
    Await.until("the lease has ended", () -> service.store().stats().memory().leasedBytes() == 0);
    assertEnds();
  }

  @Test
  void nothingLeavesMemoryForWhatCanNeverBeGranted() throws Exception {
    start(SEGMENTS);
    for (int i = 0; i < 4; i++) {
      commit(TestOutput.single(random, "output_" + i, OUTPUT_BYTES));
    }
    try (SocketClient task = task(APP)) {
      for (long hostileBytes : List.of(1L << 50, Long.MAX_VALUE / 2)) {
        assertThrows(StoreFullException.class, () -> task.lease(hostileBytes));
      }
      assertEquals(0, service.memory().snapshot().movedOutputs());
      assertEquals(
          0, service.memory().snapshot().ledger().refusals().getOrDefault(MemoryKind.WRITING, 0L));
    }
    assertEnds();
  }

  /** Leases, gives back, commits, commits again, frees, ends and starts again, in any order. */
  @Test
  void booksAgreeWhateverHappens() throws Exception {
    service = NodeService.start(withDisk(SEGMENTS, new TcpProvider()));
    List<SocketClient> tasks = new ArrayList<>();
    List<List<Extent>> leased = new ArrayList<>();
    int outputs = 0;
    for (int step = 0; step < 150; step++) {
      int at = tasks.isEmpty() ? -1 : random.nextInt(tasks.size());
      switch (at < 0 ? 0 : random.nextInt(8)) {
        case 0 -> {
          if (tasks.size() < 4) {
            tasks.add(task(APP));
            leased.add(new ArrayList<>());
          }
        }
        case 1, 2 -> leased.get(at).addAll(tasks.get(at).lease(1 + random.nextInt(600_000)));
        case 3 -> {
          if (!leased.get(at).isEmpty()) {
            tasks.get(at).release(List.of(leased.get(at).remove(0)));
          }
        }
        case 4 -> {
          TestOutput output = TestOutput.random(random, "output_" + outputs++, 3, OUTPUT_BYTES);
          output.commit(APP, tasks.get(at));
        }
        case 5 -> {
          tasks.remove(at).close();
          leased.remove(at);
        }
        case 6 -> service.store().freeOutputs(APP, "output_" + random.nextInt(10));
        default -> {
          if (random.nextInt(5) == 0) {
            service.close();
            service = NodeService.start(withDisk(SEGMENTS, new TcpProvider()).recover(true));
            leased.forEach(List::clear); // as quarantined as they are, they are not given back
          }
        }
      }
      if (at >= 0) {
        awaitBooks();
      }
    }
    for (SocketClient task : tasks) {
      task.close();
    }
    service.applicationStopped(APP);
    awaitBooks();
    Await.until("all is free", () -> service.store().stats().memory().usedBytes() == 0);
    awaitBooks();
  }

  /** A task that was closed is noticed a moment later; moves go on. */
  private void awaitBooks() {
    Await.until(
        "the books agree",
        () -> {
          try {
            assertBooksAgree();
            return true;
          } catch (AssertionError e) {
            return false;
          }
        });
  }

  @Test
  void partitionsThatNobodyAskedForLeaveFirst() throws Exception {
    start(SEGMENTS);
    try (NodeReader reader = tcpReader(4)) {
      int toldBytes = 2 * OUTPUT_BYTES; // so that it would leave before the others else
      commit(TestOutput.single(random, "told", toldBytes));
      reader.locate(address(), PartitionRange.one(0), List.of("told"));
      for (int i = 0; i < 12; i++) {
        commit(TestOutput.single(random, "output_" + i, OUTPUT_BYTES));
      }
      commitOfOthers(1);
      assertTrue(service.memory().snapshot().movedOutputs() > 0);
      for (Extent extent :
          service.store().find(new OutputId(APP, "told")).orElseThrow().extents()) {
        assertEquals(Tier.MEMORY, extent.segment().tier());
      }
      NodeRun told = locateOnly(reader, "told");
      assertEquals(toldBytes, readAll(told).length);
    }
    assertEnds();
  }
}
