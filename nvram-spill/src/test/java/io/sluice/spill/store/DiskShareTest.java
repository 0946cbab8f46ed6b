package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How much of the disk tier a user or an application may have beside others. */
class DiskShareTest extends PoolTestBase {
  private static final Owner ANN = new Owner(1001);
  private static final Owner BOB = new Owner(1002);
  private static final String BOBS_APP = "application_1_0002";
  private static final int TIER_BLOCKS = 64;
  private static final int KEPT_BLOCKS = TIER_BLOCKS / 8;

  private StoreConfig.Builder tier() {
    return config(2).disk(List.of(disk()), (long) TIER_BLOCKS * BLOCK_BYTES, 0);
  }

  private static void lease(Lease lease, int blocks) throws IOException {
    lease.leaseDisk((long) blocks * BLOCK_BYTES);
  }

  @Test
  void theLastEighthIsForUsersWhoHoldLess() throws Exception {
    try (SpillStore store = open(tier().shared().build());
        Lease bob = store.openLease(BOBS_APP, BOB)) {
      try (Lease ann = store.openLease(APP, ANN)) {
        StoreFullException atOnce =
            assertThrows(StoreFullException.class, () -> lease(ann, TIER_BLOCKS));
        assertTrue(atOnce.getMessage().contains("user id 1001"), atOnce.getMessage());
        lease(ann, TIER_BLOCKS - KEPT_BLOCKS);
        assertThrows(DiskShareException.class, () -> lease(ann, 1));
        assertEquals(
            Map.of(ANN, (long) (TIER_BLOCKS - KEPT_BLOCKS) * BLOCK_BYTES),
            store.stats().diskBytesOfUsers());
        assertEquals(Map.of(ANN, 2L), store.stats().diskShareRefusals());

        lease(bob, KEPT_BLOCKS - 1);
        StoreFullException full = assertThrows(StoreFullException.class, () -> lease(bob, 2));
        assertTrue(full instanceof DiskShareException, "the last one is for a third user: " + full);
        lease(bob, 1);
      }
      lease(bob, 1);
      assertEquals(
          Map.of(BOB, (long) (KEPT_BLOCKS + 1) * BLOCK_BYTES), store.stats().diskBytesOfUsers());
    }
  }

  /** Whoever comes finds some, though nothing that is leased is taken back. */
  @Test
  void whoIsAloneLeavesTheLast64thToWhoeverComes() throws Exception {
    for (boolean shared : List.of(true, false)) {
      StoreConfig.Builder config = shared ? tier().shared() : tier();
      try (SpillStore store = open(config.build());
          Lease first = store.openLease(APP)) {
        assertThrows(DiskShareException.class, () -> lease(first, TIER_BLOCKS));
        lease(first, TIER_BLOCKS - 1);
        StoreFullException full = assertThrows(StoreFullException.class, () -> lease(first, 1));
        assertTrue(full.getMessage().contains(APP + ", which holds"), full.getMessage());
        try (Lease second = store.openLease(BOBS_APP)) {
          lease(second, 1);
          assertThrows(DiskShareException.class, () -> lease(first, 1));
        }
      }
    }
  }

  /** All tasks run as the same user, where containers are those of the NodeManager's user. */
  @Test
  void besideAnotherApplicationTheLastEighthIsForThoseThatHoldLess() throws Exception {
    try (SpillStore store = open(tier().build());
        Lease again = store.openLease(APP);
        Lease second = store.openLease(BOBS_APP)) {
      try (Lease first = store.openLease(APP)) {
        lease(first, TIER_BLOCKS / 2);
        lease(again, TIER_BLOCKS / 2 - KEPT_BLOCKS);
        assertThrows(DiskShareException.class, () -> lease(again, 1));
        lease(second, KEPT_BLOCKS);
      }
      lease(again, TIER_BLOCKS / 2 - KEPT_BLOCKS);
      assertThrows(DiskShareException.class, () -> lease(second, 1));
    }
  }

  @Test
  void anApplicationThatWasRefusedIsKnownForAWhile() throws Exception {
    AtomicLong nowNs = new AtomicLong();
    try (SpillStore store = SpillStore.open(tier().shared().build(), place::open, nowNs::get);
        Lease ann = store.openLease(APP, ANN)) {
      assertThrows(DiskShareException.class, () -> lease(ann, TIER_BLOCKS));
      assertTrue(store.isShareUsedUp(APP, ANN));
      assertFalse(store.isShareUsedUp(BOBS_APP, ANN));
      assertFalse(store.isShareUsedUp(APP, BOB));
      nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(DiskTier.REFUSED_MS));
      assertFalse(store.isShareUsedUp(APP, ANN));
    }
  }

  @Test
  void whoIsNoLongerBesideOthersMayHaveTheirs() throws Exception {
    try (SpillStore store = open(tier().shared().build())) {
      try (Lease bob = store.openLease(BOBS_APP, BOB)) {
        OutputId inMemory = new OutputId(BOBS_APP, "output");
        commit(bob, inMemory, seeded("whoIsNoLongerBesideOthersMayHaveTheirs"), BLOCK_BYTES);
      }
      try (Lease ann = store.openLease(APP, ANN)) {
        assertThrows(DiskShareException.class, () -> lease(ann, TIER_BLOCKS - 1));
        store.freeApplication(BOBS_APP);
        lease(ann, TIER_BLOCKS - 1);
      }
    }
  }

  /** They count as free, and nobody's give way for a lease that would be refused after it. */
  @Test
  void copiesGiveWayOnlyForWhatAUserMayHave() throws Exception {
    try (SpillStore store = open(tier().shared().build());
        Lease ann = store.openLease(APP, ANN)) {
      Random random = seeded("copiesGiveWayOnlyForWhatAUserMayHave");
      copy(store, APP, ANN, random);
      copy(store, BOBS_APP, BOB, random);
      assertEquals(2, store.stats().copies().outputs());
      assertThrows(DiskShareException.class, () -> lease(ann, TIER_BLOCKS - KEPT_BLOCKS + 1));
      assertEquals(2, store.stats().copies().outputs());
      lease(ann, TIER_BLOCKS - KEPT_BLOCKS);
      assertEquals(0, store.stats().refusals());
      store.freeApplication(APP);
      store.freeApplication(BOBS_APP);
    }
  }

  /** Nobody is refused anything when the service finds no room for what it would like to do. */
  @Test
  void onlyLeasesOfTasksCountAsRefused() throws Exception {
    try (SpillStore store = open(tier().shared().build());
        Lease bob = store.openLease(BOBS_APP, BOB);
        Lease ann = store.openLease(APP, ANN)) {
      OutputId id = new OutputId(APP, "output");
      commit(ann, id, seeded("onlyLeasesOfTasksCountAsRefused"), 2 * BLOCK_BYTES);
      CommittedOutput output = store.find(id).orElseThrow();
      lease(ann, TIER_BLOCKS - KEPT_BLOCKS);
      assertThrows(DiskShareException.class, () -> store.copyToDisk(output));
      assertThrows(DiskShareException.class, () -> store.moveToDisk(output, () -> true));
      assertEquals(Map.of(), store.stats().diskShareRefusals());
      assertThrows(DiskShareException.class, () -> lease(ann, 1));
      assertEquals(Map.of(ANN, 1L), store.stats().diskShareRefusals());
      lease(bob, 1);
    }
  }

  private void copy(SpillStore store, String application, Owner owner, Random random)
      throws IOException {
    OutputId id = new OutputId(application, "output");
    try (Lease lease = store.openLease(application, owner)) {
      commit(lease, id, random, 2 * BLOCK_BYTES);
    }
    store.copyToDisk(store.find(id).orElseThrow());
  }
}
