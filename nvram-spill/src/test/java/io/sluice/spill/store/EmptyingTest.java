package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.MemorySource.MemoryUse;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An owner who lacks room although memory is free gets a segment that others' outputs leave. */
@Timeout(300)
class EmptyingTest extends PoolTestBase {
  private static final Owner ANN = new Owner(1001);
  private static final Owner BOB = new Owner(1002);
  private static final Owner CID = new Owner(1003);
  private static final String BOBS_APP = "application_1_0002";
  private static final String CIDS_APP = "application_1_0003";
  private static final Map<String, Owner> OWNERS = Map.of(APP, ANN, BOBS_APP, BOB, CIDS_APP, CID);
  private static final int SEGMENTS = 5;
  private static final int OUTPUT_BYTES = 60_000;

  private final AtomicLong nowNs = new AtomicLong();
  private final AtDiskFile atDisk = new AtDiskFile();
  private final CountDownLatch leaves = new CountDownLatch(1);
  private final CountDownLatch mayLeave = new CountDownLatch(1);
  private Random random;
  private final Map<OutputId, Outputs.Content> contents = new HashMap<>();

  private SpillStore open(StoreConfig.Builder config) throws IOException {
    return SpillStore.open(config.shared().build(), place::open, nowNs::get);
  }

  private void commit(SpillStore store, OutputId id) throws IOException {
    try (Lease lease = store.openLease(id.applicationId(), OWNERS.get(id.applicationId()))) {
      contents.put(id, commit(lease, id, random, OUTPUT_BYTES));
    }
  }

  /** Ann has all segments, each in part free. */
  private void fill(SpillStore store) throws IOException {
    int count = 0;
    while (store.stats().disk().createdBytes() == 0) {
      commit(store, id(count++));
    }
    for (int i = 0; i < count; i += 2) {
      store.freeOutput(id(i));
      contents.remove(id(i));
    }
  }

  private static Tier tierOf(SpillStore store, String application) throws IOException {
    try (Lease lease = store.openLease(application, OWNERS.get(application))) {
      List<Extent> extents = lease.lease(BLOCK_BYTES);
      return extents.get(0).segment().tier();
    }
  }

  /** Whoever lacks room asks again; the timeout of the test ends it. */
  private static void awaitMemory(SpillStore store, String application) throws IOException {
    Tier tier;
    do {
      tier = tierOf(store, application);
    } while (tier != Tier.MEMORY);
  }

  private void assertEnds(SpillStore store) throws IOException {
    for (Map.Entry<OutputId, Outputs.Content> each : contents.entrySet()) {
      check(store, each.getKey(), each.getValue());
    }
    for (String application : OWNERS.keySet()) {
      store.freeApplication(application);
    }
    assertEquals(0, store.stats().memory().usedBytes());
    while (store.stats().disk().createdBytes() > 0) { // of a move that is under way
      Thread.onSpinWait();
    }
  }

  /**
   * As a reader does: once more if it has left meanwhile, which what lacked room before may ask.
   */
  private static void check(SpillStore store, OutputId id, Outputs.Content content)
      throws IOException {
    while (true) {
      CommittedOutput before = store.find(id).orElseThrow();
      try {
        Outputs.check(store, id, content);
        return;
      } catch (IOException | Error e) {
        if (before.location().isHeld()) {
          throw e;
        }
      }
    }
  }

  @Test
  void whoFindsNoRoomHasSomeSoonAfter() throws Exception {
    random = seeded("whoFindsNoRoomHasSomeSoonAfter");
    try (SpillStore store = open(configWithDisk(SEGMENTS))) {
      fill(store);
      assertEquals(Tier.DISK, tierOf(store, BOBS_APP));
      awaitMemory(store, BOBS_APP);
      assertTrue(store.stats().handOvers() >= 1, "one of ann's, and perhaps one ahead");
      assertEnds(store);
    }
  }

  /** A disk that takes its time for an output keeps nobody from what is idle. */
  @Test
  void idleSegmentsGoOverWhileAnOutputLeaves() throws Exception {
    random = seeded("idleSegmentsGoOverWhileAnOutputLeaves");
    try (SpillStore store = open(configWithDisk(SEGMENTS).segmentListener(atDisk))) {
      commit(store, new OutputId(CIDS_APP, "cid's"));
      fill(store);
      try (Lease cid = store.openLease(CIDS_APP, CID)) {
        cid.leaseContiguous(SEGMENT_BYTES); // which was kept for who has less than ann
        holdTheNextThatLeaves();
        assertEquals(Tier.DISK, tierOf(store, BOBS_APP));
        leaves.await(); // an output of ann's, who has most
        store.freeApplication(CIDS_APP);
        contents.keySet().removeIf(id -> id.applicationId().equals(CIDS_APP));
        awaitMemory(store, BOBS_APP);
      } finally {
        mayLeave.countDown();
      }
      assertEnds(store);
    }
  }

  /** Bob has taken enough by then that ann loses no more; else they would take it in turns. */
  @Test
  void nothingMoreLeavesOnceTheyAreAlike() throws Exception {
    random = seeded("nothingMoreLeavesOnceTheyAreAlike");
    try (SpillStore store = open(configWithDisk(SEGMENTS).segmentListener(atDisk));
        Lease bob = store.openLease(BOBS_APP, BOB)) {
      fill(store);
      List<Integer> byBytes = segmentsByBytes(store);
      int emptied = byBytes.get(0);
      List<Integer> others =
          byBytes.stream().filter(each -> isApart(store, each, emptied)).toList();
      int leaving = outputsIn(store, emptied).size();
      holdTheNextThatLeaves();
      assertEquals(Tier.DISK, tierOf(store, BOBS_APP));
      try {
        leaves.await();
        for (int segment : others.subList(0, 2)) {
          for (OutputId id : outputsIn(store, segment)) {
            free(store, id);
          }
        }
        for (int i = 0; i < 2; i++) {
          while (bob.lease(SEGMENT_BYTES).get(0).segment().tier() != Tier.MEMORY) {
            Thread.onSpinWait();
          }
        }
      } finally {
        mayLeave.countDown();
      }
      while (outputsIn(store, emptied).size() == leaving || !emptierWaits()) {
        Thread.onSpinWait();
      }
      assertEquals(leaving - 1, outputsIn(store, emptied).size());
      assertEquals(2, store.stats().handOvers());
    }
  }

  private void free(SpillStore store, OutputId id) throws IOException {
    store.freeOutput(id);
    contents.remove(id);
  }

  /** Ann's outputs of which something lies in that segment of memory. */
  private static List<OutputId> outputsIn(SpillStore store, int segmentId) {
    return store.outputs(APP).stream()
        .filter(output -> output.location().bytesOf(Tier.MEMORY) > 0)
        .filter(output -> output.location().liesIn(segmentId))
        .map(CommittedOutput::id)
        .toList();
  }

  /** That with the fewest bytes is emptied first; of several, the first one. */
  private static List<Integer> segmentsByBytes(SpillStore store) {
    return IntStream.range(0, SEGMENTS)
        .boxed()
        .sorted(Comparator.comparing(segment -> bytesIn(store, segment)))
        .toList();
  }

  private static long bytesIn(SpillStore store, int segmentId) {
    return store.outputs(APP).stream()
        .flatMap(output -> output.extents().stream())
        .filter(extent -> extent.segment().tier() == Tier.MEMORY)
        .filter(extent -> extent.segment().segmentId() == segmentId)
        .mapToLong(Extent::lengthBytes)
        .sum();
  }

  private static boolean isApart(SpillStore store, int segmentId, int from) {
    return segmentId != from
        && Collections.disjoint(outputsIn(store, segmentId), outputsIn(store, from));
  }

  private static boolean emptierWaits() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(thread -> thread.getKey().getName().equals("sluice-pool-emptier"))
        .flatMap(thread -> Arrays.stream(thread.getValue()))
        .anyMatch(frame -> frame.getMethodName().equals("awaitUninterruptibly"));
  }

  /** Until it may leave. */
  private void holdTheNextThatLeaves() {
    atDisk.set(
        segment -> {
          leaves.countDown();
          try {
            mayLeave.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
  }

  /** What a former place of a moved output keeps is given back. */
  @Test
  void whatReadersWereToldOfLeavesToo() throws Exception {
    random = seeded("whatReadersWereToldOfLeavesToo");
    try (SpillStore store = open(configWithDisk(SEGMENTS))) {
      fill(store);
      for (CommittedOutput output : store.outputs(APP)) {
        output.runs(0, output.partitionCount());
      }
      assertEquals(Tier.DISK, tierOf(store, BOBS_APP));
      awaitMemory(store, BOBS_APP);
      assertEnds(store);
    }
  }

  /** Bob has one and ann two: only cid, who has none, gets one of hers. */
  @Test
  void whoHasNearlyAsManyGetsNoMore() throws Exception {
    random = seeded("whoHasNearlyAsManyGetsNoMore");
    try (SpillStore store = open(configWithDisk(3))) {
      try (Lease bob = store.openLease(BOBS_APP, BOB)) {
        bob.lease(SEGMENT_BYTES);
        fill(store);
        do {
          assertEquals(Tier.DISK, tierOf(store, BOBS_APP));
        } while (tierOf(store, CIDS_APP) == Tier.DISK);
      }
      assertEnds(store);
    }
  }

  /** No segment is as long: room that came would be none for it. */
  @Test
  void nobodyIsAskedForMoreThanASegmentInOnePiece() throws Exception {
    AtomicLong asks = new AtomicLong();
    MemoryArbiter keeper =
        (MemoryArbiter)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {MemoryArbiter.class},
                (proxy, method, arguments) -> {
                  if (method.getName().startsWith("ask")) {
                    asks.incrementAndGet();
                  }
                  return method.invoke(MemoryArbiter.NONE, arguments);
                });
    try (SpillStore store = open(configWithDisk(SEGMENTS).memoryKeeper(keeper));
        Lease bob = store.openLease(BOBS_APP, BOB)) {
      for (MemoryUse use : MemoryUse.values()) {
        assertTrue(bob.leaseMemory(use, SEGMENT_BYTES + 1).isEmpty());
      }
      Extent onDisk = bob.leaseContiguous(SEGMENT_BYTES + 1);
      assertEquals(Tier.DISK, onDisk.segment().tier());
      assertEquals(0, asks.get());
    }
  }

  /** Leases, commits and frees of three owners; nothing is lost, and nothing stays. */
  @Test
  void nothingIsLostWhoeverLacksRoom() throws Exception {
    random = seeded("nothingIsLostWhoeverLacksRoom");
    try (SpillStore store = open(configWithDisk(8))) {
      List<OutputId> committed = new ArrayList<>();
      List<String> applications = new ArrayList<>(OWNERS.keySet().stream().sorted().toList());
      int next = 0;
      for (int step = 0; step < 400; step++) {
        String application = applications.get(random.nextInt(100) < 70 ? 0 : random.nextInt(3));
        switch (random.nextInt(3)) {
          case 0, 1 -> {
            OutputId id = new OutputId(application, "output_" + next++);
            commit(store, id);
            committed.add(id);
          }
          default -> {
            if (committed.size() > 20) {
              OutputId id = committed.remove(random.nextInt(committed.size()));
              store.freeOutput(id);
              contents.remove(id);
            }
          }
        }
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(random.nextInt(20)));
      }
      assertTrue(store.stats().outputs() > 0);
      assertEnds(store);
    }
  }
}
