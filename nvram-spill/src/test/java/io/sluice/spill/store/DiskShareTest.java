package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.StoreFullException.DiskShareException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How much of the disk tier a user may have where several are served. */
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

  @Test
  void whereOneUserIsServedNothingIsKept() throws Exception {
    try (SpillStore store = open(tier().build());
        Lease lease = store.openLease(APP)) {
      lease(lease, TIER_BLOCKS);
      assertEquals(Map.of(), store.stats().diskShareRefusals());
    }
  }

  @Test
  void whoIsAloneMayHaveAll() throws Exception {
    try (SpillStore store = open(tier().shared().build())) {
      try (Lease ann = store.openLease(APP, ANN)) {
        lease(ann, TIER_BLOCKS);
      }
      try (Lease bob = store.openLease(BOBS_APP, BOB)) {
        OutputId inMemory = new OutputId(BOBS_APP, "output");
        commit(bob, inMemory, seeded("whoIsAloneMayHaveAll"), BLOCK_BYTES);
      }
      try (Lease ann = store.openLease(APP, ANN)) {
        assertThrows(DiskShareException.class, () -> lease(ann, TIER_BLOCKS));
        store.freeApplication(BOBS_APP);
        lease(ann, TIER_BLOCKS);
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
