package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.StoreFullException.HeapShareException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How many outputs and files of the disk tier a user may have. */
class HeapShareTest extends PoolTestBase {
  private static final Owner ANN = new Owner(1001);
  private static final Owner BOB = new Owner(1002);
  private static final String BOBS_APP = "application_1_0002";
  private static final long HEAP_BYTES = 8 << 10;
  private static final int FILES = (int) (HEAP_BYTES / HeapShares.FILE_BYTES);
  private static final int FEWER_THAN = 100;

  private final Random random = seeded("HeapShareTest");
  private int outputs;

  private void commit(Lease lease) throws IOException {
    commit(lease, new OutputId(lease.applicationId(), "output" + outputs++), random, 1_000);
  }

  /** Commits until the store takes no more; returns how many it took. */
  private long fill(Lease lease) throws IOException {
    for (int i = 0; i < FEWER_THAN; i++) {
      try {
        commit(lease);
      } catch (HeapShareException e) {
        String said = "user id " + lease.owner() + ", who has " + i + " outputs";
        assertTrue(e.getMessage().contains(said), e.getMessage());
        return i;
      }
    }
    throw new AssertionError("took " + FEWER_THAN + " outputs");
  }

  @Test
  void theLastEighthIsForUsersWhoHaveLess() throws Exception {
    try (SpillStore store = open(config(8).shared().heapBytes(HEAP_BYTES).build());
        Lease bob = store.openLease(BOBS_APP, BOB);
        Lease ann = store.openLease(APP, ANN)) {
      long many = fill(ann);
      assertTrue(many > 1, "took " + many);
      assertThrows(HeapShareException.class, () -> store.checkTakesOutputs(ANN));
      store.checkTakesOutputs(BOB);
      commit(bob);
      assertEquals(Map.of(ANN, many, BOB, 1L), store.stats().outputsOfUsers());
      assertEquals(Map.of(ANN, 2L), store.stats().heapShareRefusals());
    }
  }

  @Test
  void whoIsAloneMayHaveAllAndGetsBackWhatIsFreed() throws Exception {
    try (SpillStore store = open(config(8).shared().heapBytes(HEAP_BYTES).build())) {
      long beside;
      try (Lease bob = store.openLease(BOBS_APP, BOB);
          Lease ann = store.openLease(APP, ANN)) {
        beside = fill(ann);
        assertEquals(BOB, bob.owner());
      }
      store.freeApplication(APP);
      assertEquals(Map.of(), store.stats().outputsOfUsers());
      try (Lease ann = store.openLease(APP, ANN)) {
        long alone = fill(ann);
        assertTrue(alone > beside, alone + " alone, " + beside + " beside another");
      }
    }
  }

  @Test
  void filesOfTheDiskTierCount() throws Exception {
    StoreConfig config = configWithDisk(1).shared().heapBytes(HEAP_BYTES).build();
    try (SpillStore store = open(config);
        Lease bob = store.openLease(BOBS_APP, BOB);
        Lease ann = store.openLease(APP, ANN)) {
      List<Extent> held = new ArrayList<>();
      for (int i = 0; i < FILES - 1; i++) {
        held.addAll(ann.leaseDisk(BLOCK_BYTES));
      }
      HeapShareException e =
          assertThrows(HeapShareException.class, () -> ann.leaseDisk(BLOCK_BYTES));
      assertTrue(e.getMessage().contains((FILES - 1) + " files"), e.getMessage());
      bob.leaseDisk(BLOCK_BYTES);
      assertEquals(Map.of(ANN, FILES - 1L, BOB, 1L), store.stats().diskFilesOfUsers());
      assertEquals(Map.of(ANN, 1L), store.stats().heapShareRefusals());
      ann.release(held);
      ann.leaseDisk(BLOCK_BYTES);
      assertEquals(Map.of(ANN, 1L, BOB, 1L), store.stats().diskFilesOfUsers());
    }
  }

  /** Nobody needs a copy, and it has a file, too. */
  @Test
  void copiesLeaveHalfOfItForOutputs() throws Exception {
    StoreConfig config = configWithDisk(8).heapBytes(HEAP_BYTES).build();
    try (SpillStore store = open(config);
        Lease lease = store.openLease(APP)) {
      for (int i = 0; i < 5; i++) {
        commit(lease);
      }
      int copies = 0;
      List<CommittedOutput> all = store.outputs(APP);
      try {
        for (CommittedOutput output : all) {
          store.copyToDisk(output);
          copies++;
        }
      } catch (HeapShareException e) {
        assertFalse(copies == 0, "none was copied");
      }
      assertTrue(copies < all.size(), "copied " + copies);
      commit(lease);
    }
  }
}
