package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.FetchFailedException;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.client.ReadStats;
import io.sluice.node.probe.ProbeRegion.ProbePattern;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.testing.FreePorts;
import io.sluice.node.testing.RefusesSegments;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Segments that a transport cannot register are read over it all the same. */
@Tag("slow")
class BounceServingTest extends BounceTestBase {
  private static final long WAITED_FOR_MS = 5_000; // to its end

  @Test
  void bothTiersAreReadThroughSlotsWhateverTheShapeOfTheOutputs() throws IOException {
    startRefusing(RDMA, new TcpProvider());
    Random random = seeded("bothTiersAreReadThroughSlots");
    List<TestOutput> outputs = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      outputs.add(TestOutput.random(random, "attempt_" + i, 1 + random.nextInt(8), 600_000));
      commit(outputs.get(i));
    }
    assertTrue(service.store().stats().disk().createdBytes() > 0, "nothing went to the disk tier");
    long bytes = outputs.stream().mapToLong(TestOutput::totalBytes).sum();
    try (NodeReader reader = rdmaReader(8)) {
      assertReads(reader, outputs);
      assertEquals(bytes, reader.stats().bytes("rdma"));
      assertEquals(bytes, reader.stats().bouncedBytes());
      assertEquals(0, reader.stats().bytes("tcp"));
      assertEquals(0, reader.stats().retries());
      assertEquals(0, reader.stats().bounceRefusals());
      assertEquals(reader.stats().bouncedReads(), counters().reads());
    }
    awaitAllSlotsFree();
    assertEquals(bytes, counters().bytes());
    Await.until(
        "the server counts all bytes",
        () -> service.counters().transports().get("rdma").bytes() == bytes);
    assertEquals(0, service.counters().transports().get("tcp").bytes());
  }

  @Test
  void runsThatAreMergedReadAheadWithinTheSlotsOfTheirReader() throws IOException {
    startRefusing(RDMA, new TcpProvider());
    List<TestOutput> outputs = commitSingles(6, 500_000);
    try (NodeReader reader = rdmaReader(20)) {
      List<NodeRun> runs = new ArrayList<>();
      for (TestOutput output : outputs) {
        runs.add(locateOnly(reader, output.id()));
        runs.get(runs.size() - 1).prefetch(3);
      }
      reader.prepareMerge(runs);
      for (int from = 0; from < 500_000; from += 50_000) {
        for (int i = 0; i < runs.size(); i++) {
          byte[] expected = new byte[50_000];
          System.arraycopy(outputs.get(i).runs().get(0), from, expected, 0, expected.length);
          assertArrayEquals(expected, readSome(runs.get(i), 50_000));
        }
      }
      assertEquals(3_000_000, reader.stats().bouncedBytes());
      for (NodeRun run : runs) {
        run.close();
      }
    }
    awaitAllSlotsFree();
    assertEquals(SLOTS, counters().peakSlotsInUse());
  }

  @Test
  void moreReadersThanSlotsAllEnd() throws Exception {
    startRefusing(RDMA, new TcpProvider());
    List<TestOutput> outputs = commitSingles(4, 800_000);
    ExecutorService tasks = Executors.newFixedThreadPool(6);
    try {
      List<Future<Long>> reading = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        reading.add(
            tasks.submit(
                () -> {
                  try (NodeReader reader = rdmaReader(16)) {
                    for (TestOutput output : outputs) {
                      NodeRun run = locateOnly(reader, output.id());
                      run.prefetch(8);
                      assertArrayEquals(output.runs().get(0), readAll(run));
                    }
                    return reader.stats().bytes("rdma") + reader.stats().bytes("tcp");
                  }
                }));
      }
      for (Future<Long> bytes : reading) {
        assertEquals(3_200_000, bytes.get());
      }
    } finally {
      tasks.shutdown();
    }
    awaitAllSlotsFree();
    assertEquals(SLOTS, counters().peakSlotsInUse());
  }

  /** The defect was: it gave the output up after two refusals, though nothing was wrong with it. */
  @Test
  void aReaderWithoutAnotherTransportWaitsForASlot() throws Exception {
    startRefusing(RDMA, new TcpProvider());
    TestOutput output = commitSingles(1, 300_000).get(0);
    ExecutorService tasks = Executors.newSingleThreadExecutor();
    try (NodeReader reader = reader(4, null, TIMEOUT_MS, RDMA);
        NodeRun run = locateOnly(reader, output.id())) {
      Future<byte[]> reading;
      try (RemoteClient holder = control()) {
        for (int i = 0; i < SLOTS; i++) {
          holder.bounce(firstBytes("attempt_0", 1), TIMEOUT_MS);
        }
        reading = tasks.submit(() -> readAll(run));
        Await.until("the reader is refused", () -> reading.isDone() || counters().refusals() >= 3);
      }
      assertArrayEquals(output.runs().get(0), reading.get());
      assertEquals(300_000, reader.stats().bouncedBytes());
      assertEquals(0, reader.stats().retries());
    } finally {
      tasks.shutdown();
    }
  }

  @Test
  void whatIsServedOverOtherTransportsAloneSaysSo() throws IOException {
    service = NodeService.start(withDisk(1, new TcpProvider()));
    TestOutput output = commitSingles(1, 1_000).get(0);
    try (NodeReader reader = reader(1, null, TIMEOUT_MS, RDMA);
        NodeRun run = locateOnly(reader, output.id())) {
      String message = assertThrows(FetchFailedException.class, () -> readAll(run)).getMessage();
      assertTrue(message.contains("over [tcp], this task reads over [rdma]"), message);
    }
  }

  @Test
  void withoutAFreeSlotTheNextTransportTakesOverUntilThereIsOne() throws IOException {
    startRefusing(RDMA, new TcpProvider());
    List<TestOutput> outputs = commitSingles(2, 300_000);
    try (NodeReader reader = rdmaReader(4)) {
      try (RemoteClient holder = control()) {
        for (int i = 0; i < SLOTS; i++) {
          holder.bounce(firstBytes("attempt_0", 1), TIMEOUT_MS);
        }
        assertReads(reader, outputs.subList(0, 1));
        assertEquals(300_000, reader.stats().bytes("tcp"));
        assertEquals(0, reader.stats().bouncedBytes());
        assertTrue(reader.stats().bounceRefusals() > 0);
        assertTrue(counters().refusals() > 0);
      }
      awaitAllSlotsFree(); // the holder's connection ended
      assertReads(reader, outputs.subList(1, 2));
      assertEquals(300_000, reader.stats().bouncedBytes());
      assertEquals(300_000, reader.stats().bytes("tcp"));
      assertEquals(0, reader.stats().transportFallbacks());
      assertEquals(0, reader.stats().retries());
    }
  }

  @Test
  void withoutAFreeSlotOrAnotherTransportTheOutputCannotBeHad() throws IOException {
    startRefusing(RDMA, new TcpProvider());
    commitSingles(1, 1000);
    try (RemoteClient holder = control();
        NodeReader reader = reader(4, null, WAITED_FOR_MS, RDMA);
        NodeRun run = locateOnly(reader, "attempt_0")) {
      for (int i = 0; i < SLOTS; i++) {
        holder.bounce(firstBytes("attempt_0", 1), TIMEOUT_MS);
      }
      FetchFailedException e = assertThrows(FetchFailedException.class, () -> readSome(run, 1));
      assertTrue(e.getMessage().contains("no bounce slot for rdma came free"), e.getMessage());
      assertTrue(e.getMessage().contains("raise bounce-buffer-mb"), e.getMessage());
    }
  }

  @Test
  void nobodyPaysWhoNeedsNone() throws IOException {
    long before = OffHeap.allocatedBytes();
    service = NodeService.start(inMemory(2, new NamedProvider("rdma"), new TcpProvider()));
    TestOutput output = commitSingles(1, 100_000).get(0);
    try (NodeReader reader = rdmaReader(4)) {
      assertReads(reader, List.of(output));
      assertEquals(100_000, reader.stats().bytes("rdma"));
      assertEquals(0, reader.stats().bouncedReads());
    }
    assertTrue(service.counters().bounce().isEmpty());
    long allocatedBytes = OffHeap.allocatedBytes() - before; // the pattern, and the store a little
    assertTrue(
        allocatedBytes < ProbePattern.LENGTH_BYTES + 2 * WINDOW_BYTES, allocatedBytes + " bytes");
  }

  @Test
  void buffersThatCannotBeRegisteredLeaveTheSegmentsToTheNextTransport() throws IOException {
    startRefusing(new RefusesSegments(true), new TcpProvider());
    TestOutput output = commitSingles(1, 100_000).get(0);
    try (NodeReader reader = rdmaReader(4)) {
      assertReads(reader, List.of(output));
      assertEquals(100_000, reader.stats().bytes("tcp"));
      assertEquals(0, reader.stats().retries());
    }
    assertFalse(service.counters().bounce().containsKey("rdma"));
  }

  /** The service opens them when a segment is refused for the first time: one on disk, mostly. */
  @Test
  void aReaderThatAskedBeforeThereWereSlotsFindsThem() throws IOException {
    RefusesSegments rdma = new RefusesSegments(region -> region.reader() != null);
    startRefusing(rdma, new TcpProvider());
    TestOutput first = TestOutput.single(new Random(1), "attempt_first", 1_000);
    commit(first);
    try (NodeReader reader = reader(4, null, TIMEOUT_MS, rdma)) {
      assertReads(reader, List.of(first));
      assertFalse(service.counters().bounce().containsKey("rdma"), "there are slots already");
      List<TestOutput> outputs = commitSingles(10, 800_000);
      assertTrue(
          service.store().stats().disk().createdBytes() > 0, "nothing went to the disk tier");
      assertReads(reader, outputs);
      assertTrue(reader.stats().bouncedBytes() > 0);
    }
    awaitAllSlotsFree();
  }

  @Test
  void whatNoTransportReadsIsReadInPlaceAtItsOwnNode() throws IOException {
    startRefusing(new RefusesSegments(true), new TcpProvider());
    List<TestOutput> outputs = commitSingles(10, 800_000);
    assertTrue(service.store().stats().disk().createdBytes() > 0, "nothing went to the disk tier");
    UUID own = service.metadata().poolId();
    try (NodeReader reader = reader(4, own, TIMEOUT_MS, RDMA)) {
      assertReads(reader, outputs);
      assertEquals(8_000_000, reader.stats().bytes(ReadStats.LOCAL));
    }
  }

  @Test
  void aReaderGoesOnAfterItsServiceWasRestarted() throws IOException {
    int port = FreePorts.inARow(3);
    service = NodeService.start(inMemory(4, RDMA, new TcpProvider()).listen(LOOPBACK, port));
    TestOutput output = commitSingles(1, 500_000).get(0);
    try (NodeReader reader = rdmaReader(2);
        NodeRun run = locateOnly(reader, "attempt_0")) {
      byte[] first = readSome(run, 200_000);
      long firstServiceBytes = reader.stats().bytes("rdma");
      service.close();
      service =
          NodeService.start(
              inMemory(4, RDMA, new TcpProvider()).listen(LOOPBACK, port).recover(true));
      byte[] rest = readSome(run, 300_000);
      byte[] whole = new byte[500_000];
      System.arraycopy(first, 0, whole, 0, first.length);
      System.arraycopy(rest, 0, whole, first.length, rest.length);
      assertArrayEquals(output.runs().get(0), whole);
      assertEquals(500_000, reader.stats().bytes("rdma"));
      assertEquals(0, reader.stats().bytes("tcp"));
      // Not by the count of retries: who finds a connection ended before it reads makes another.
      Await.until(
          "the second service counts the rest",
          () -> service.counters().transports().get("rdma").bytes() == 500_000 - firstServiceBytes);
      assertTrue(firstServiceBytes < 500_000, "nothing was left for the second service");
    }
  }
}
