package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
        if (before.place().isHeld()) {
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
    MemoryKeeper keeper =
        (MemoryKeeper)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {MemoryKeeper.class},
                (proxy, method, arguments) -> {
                  if (method.getName().startsWith("ask")) {
                    asks.incrementAndGet();
                  }
                  return method.invoke(MemoryKeeper.NONE, arguments);
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
