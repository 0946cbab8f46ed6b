package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PlaceUse;
import java.io.IOException;
import java.nio.file.Files;
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

  private static void lease(Lease lease, long blocks) throws IOException {
    lease.leaseDisk(blocks * BLOCK_BYTES);
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
        StoreFullException full = assertThrows(DiskShareException.class, () -> lease(first, 1));
        assertTrue(full.getMessage().contains(APP + ", which holds"), full.getMessage());
        try (Lease second = store.openLease(BOBS_APP)) {
          lease(second, 1);
          full = assertThrows(StoreFullException.class, () -> lease(first, 1));
          assertFalse(full instanceof DiskShareException, "nothing is left to be kept: " + full);
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
      lease(second, 1);
      try (Lease first = store.openLease(APP)) {
        lease(first, TIER_BLOCKS / 2);
        lease(again, TIER_BLOCKS / 2 - KEPT_BLOCKS - 1);
        assertThrows(DiskShareException.class, () -> lease(again, 1));
        lease(second, KEPT_BLOCKS - 1);
      }
      lease(again, TIER_BLOCKS / 2 - KEPT_BLOCKS + 1);
      assertThrows(DiskShareException.class, () -> lease(second, 1));
    }
  }

  /** It needs none of the disk, so nobody need leave it any. */
  @Test
  void whoHasNothingOnDiskIsNotBesideOthersThere() throws Exception {
    try (SpillStore store = open(tier().build());
        Lease inMemory = store.openLease(BOBS_APP);
        Lease first = store.openLease(APP)) {
      inMemory.lease(BLOCK_BYTES);
      lease(first, TIER_BLOCKS - 1);
    }
  }

  /** Its job would fail, which succeeds where nobody else comes. */
  @Test
  void aTaskThatHasNowhereElseGetsAllButTheLast64th() throws Exception {
    try (SpillStore store = open(tier().build());
        Lease second = store.openLease(BOBS_APP);
        Lease first = store.openLease(APP)) {
      first.lease(store.stats().memory().capacityBytes());
      lease(second, 1);
      first.lease((long) (TIER_BLOCKS - KEPT_BLOCKS - 1) * BLOCK_BYTES);
      assertThrows(DiskShareException.class, () -> lease(first, 1));
      first.lease((long) (KEPT_BLOCKS - 2) * BLOCK_BYTES);
      first.leaseContiguous(BLOCK_BYTES);
      assertEquals(0, store.stats().refusals());
      assertEquals(3L, store.stats().diskShareRefusals().get(first.owner()));
      assertThrows(DiskShareException.class, () -> first.lease(BLOCK_BYTES));
      assertEquals(1, store.stats().refusals());
      assertEquals(4L, store.stats().diskShareRefusals().get(first.owner()));
      second.lease(BLOCK_BYTES);
    }
  }

  /** Also while a task of that one has not ended yet. */
  @Test
  void besideAnApplicationThatHasEndedOneIsAlone() throws Exception {
    try (SpillStore store = open(tier().build());
        Lease first = store.openLease(APP)) {
      Lease ending = store.openLease(BOBS_APP);
      lease(ending, 1);
      assertThrows(DiskShareException.class, () -> lease(first, TIER_BLOCKS - KEPT_BLOCKS));
      store.freeApplication(BOBS_APP);
      lease(first, TIER_BLOCKS - 2);
      ending.close();
      assertThrows(DiskShareException.class, () -> lease(first, 1 + 1));
      lease(first, 1);
    }
  }

  /** All of them are one process's, and nobody else comes. */
  @Test
  void inAPrivatePoolNothingIsKept() throws Exception {
    try (SpillStore store = open(tier().use(PlaceUse.PRIVATE).build());
        Lease second = store.openLease(BOBS_APP);
        Lease first = store.openLease(APP)) {
      lease(second, 1);
      lease(first, TIER_BLOCKS - 1);
      assertEquals(Map.of(), store.stats().diskShareRefusals());
    }
  }

  /** Its maps can still leave their outputs to stock. */
  @Test
  void whoWasJustRefusedSomeIsToldBeforeItBegins() throws Exception {
    AtomicLong nowNs = new AtomicLong();
    try (SpillStore store = SpillStore.open(tier().build(), place::open, nowNs::get);
        Lease second = store.openLease(BOBS_APP);
        Lease first = store.openLease(APP)) {
      lease(second, 1);
      Lease large = store.openLease(APP);
      lease(large, TIER_BLOCKS - KEPT_BLOCKS - 1);
      store.checkDiskShare(APP, first.owner());
      assertThrows(DiskShareException.class, () -> lease(first, 1));
      assertThrows(DiskShareException.class, () -> store.checkDiskShare(APP, first.owner()));
      store.checkDiskShare(BOBS_APP, first.owner());
      large.close();
      store.checkDiskShare(APP, first.owner());
      lease(first, TIER_BLOCKS - KEPT_BLOCKS - 1);
      assertThrows(DiskShareException.class, () -> store.checkDiskShare(APP, first.owner()));
      nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(DiskShares.REFUSED_MS));
      store.checkDiskShare(APP, first.owner());
    }
  }

  /** Nothing would be kept for anybody by that, and what stock writes is read once more. */
  @Test
  void whereStockTakesTheSameRoomOnlyThoseAreTurnedAwayThatWouldFail() throws Exception {
    try (SpillStore store = open(config(2).disk(List.of(disk()), 0, 0).build());
        Lease second = store.openLease(BOBS_APP);
        Lease first = store.openLease(APP)) {
      lease(second, 1);
      long blocks = Files.getFileStore(disk()).getUsableSpace() / BLOCK_BYTES;
      assertThrows(DiskShareException.class, () -> lease(first, blocks / 32 * 30));
      store.checkDiskShare(APP, first.owner());
      assertThrows(DiskShareException.class, () -> lease(first, blocks / 256 * 255));
      assertThrows(DiskShareException.class, () -> store.checkDiskShare(APP, first.owner()));
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
