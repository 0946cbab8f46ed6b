package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.segment.PrivateDirectory;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A pool whose directory is gone, as after a reboot, while the disk tier is still there. */
@Tag("slow")
class LostPoolTest extends PoolTestBase {
  private static final int OUTPUT_BYTES = 200_000;

  private Random random;

  @BeforeEach
  void seed() {
    random = seeded("LostPoolTest");
  }

  private StoreConfig.Builder copying() {
    return configWithDisk(2).backgroundCopy(true);
  }

  private StoreConfig recovering() {
    return copying().recover(Set.of(APP)).build();
  }

  private Outputs.Content commit(SpillStore store, int number) throws IOException {
    try (Lease lease = store.openLease(APP)) {
      return commit(lease, id(number), random, OUTPUT_BYTES);
    }
  }

  /** With a copy of output 1, output 2 moved and output 3 in memory alone. */
  private List<Outputs.Content> fill(SpillStore store) throws IOException {
    List<Outputs.Content> contents = List.of(commit(store, 1), commit(store, 2), commit(store, 3));
    store.copyToDisk(store.find(id(1)).orElseThrow());
    store.moveToDisk(store.find(id(2)).orElseThrow(), () -> true);
    return contents;
  }

  private void lose() throws IOException {
    PrivateDirectory.delete(pool());
  }

  private void assertFound(SpillStore store, List<Outputs.Content> contents) throws IOException {
    assertEquals(2, store.stats().outputs());
    Outputs.check(store, id(1), contents.get(0));
    Outputs.check(store, id(2), contents.get(1));
  }

  private static void assertEnds(SpillStore store) throws IOException {
    store.freeApplication(APP);
    assertAllFree(store);
  }

  @Test
  void whatLiesOnDiskIsFoundAgain() throws Exception {
    List<Outputs.Content> contents;
    UUID pool;
    try (SpillStore store = open(configWithDisk(2).build())) {
      contents = fill(store);
      pool = store.poolId();
    }
    lose();
    try (SpillStore next = open(recovering())) {
      assertEquals(pool, next.poolId());
      assertFound(next, contents);
    }
    try (SpillStore last = open(recovering())) {
      assertFound(last, contents);
      assertEnds(last);
    }
  }

  /** Tasks that outlived it may still open its segments by their names, and commit. */
  @Test
  void nothingOfWhatComesNowHasAFormerName() throws Exception {
    Set<Path> names = new HashSet<>();
    long lastGeneration = 0;
    for (int life = 0; life < 3; life++) {
      try (SpillStore store = open(life == 0 ? copying().build() : recovering())) {
        commit(store, 10 + life);
        store.copyToDisk(store.find(id(10 + life)).orElseThrow());
        assertEquals(life + 1, store.stats().outputs());
        List<SegmentInfo> memory =
            store.segments().stream().filter(it -> it.tier() == Tier.MEMORY).toList();
        assertFalse(memory.isEmpty());
        for (SegmentInfo each : memory) {
          assertTrue(names.add(each.path()), each + " was there before");
        }
        try (Lease lease = store.openLease(APP)) {
          assertTrue(lease.info().generation() > lastGeneration);
          lastGeneration = lease.info().generation();
        }
      }
      lose();
    }
  }

  /** The only directory that had followed the second life is lost with it. */
  @Test
  void alsoWhereNobodyKnowsOfALifeNothingHasAFormerName() throws Exception {
    Path second = directory.resolve("second");
    List<List<Path>> lives = List.of(List.of(disk(), second), List.of(disk()), List.of(second));
    Set<UUID> pools = new HashSet<>();
    Set<Object> names = new HashSet<>();
    for (List<Path> disks : lives) {
      StoreConfig.Builder config = config(2).disk(disks, 0, 0).backgroundCopy(true);
      try (SpillStore store = open(config.recover(Set.of(APP)).build());
          Lease lease = store.openLease(APP)) {
        pools.add(store.poolId());
        lease.lease(BLOCK_BYTES);
        store.segments().forEach(each -> assertTrue(names.add(each.path()), "" + each));
        assertTrue(names.add(lease.info().generation()), "the generation was there before");
      }
      lose();
    }
    assertEquals(1, pools.size());
  }

  @Test
  void withoutTheSettingNothingIsFound() throws Exception {
    try (SpillStore store = open(configWithDisk(2).build())) {
      fill(store);
    }
    lose();
    try (SpillStore next = open(configWithDisk(2).recover(Set.of(APP)).build())) {
      assertEquals(0, next.stats().outputs());
      assertEquals(0, next.stats().disk().createdBytes());
    }
  }

  /** One that was emptied while a directory was away, which has outputs of before. */
  @Test
  void ofTwoPoolsNoneIsBelieved() throws Exception {
    Path second = directory.resolve("second");
    StoreConfig.Builder former = config(2).disk(List.of(second), 0, 0);
    for (int start = 0; start < 3; start++) { // its epoch is the higher one
      try (SpillStore store = open(former.build())) {
        if (start == 0) {
          fill(store);
        }
      }
      former.recover(Set.of(APP));
    }
    try (SpillStore later = open(configWithDisk(2).build())) {
      fill(later);
    }
    lose();
    StoreConfig.Builder both = config(2).disk(List.of(disk(), second), 0, 0).backgroundCopy(true);
    try (SpillStore next = open(both.recover(Set.of(APP)).build())) {
      assertEquals(0, next.stats().outputs());
      assertEquals(0, next.stats().disk().createdBytes());
      assertEnds(next);
    }
  }

  @Test
  void whoeverDoesNotRecoverBeginsAnew() throws Exception {
    UUID pool;
    try (SpillStore store = open(configWithDisk(2).build())) {
      fill(store);
      pool = store.poolId();
    }
    lose();
    try (SpillStore next = open(copying().build())) {
      assertNotEquals(pool, next.poolId());
      assertEquals(0, next.stats().disk().createdBytes());
    }
  }

  @Test
  void noOtherPoolTakesItsDirectories() throws Exception {
    try (SpillStore store = open(configWithDisk(2).build())) {
      fill(store);
      assertThrows(IOException.class, () -> open(elsewhere()), "they are in use");
      assertEquals(3, store.stats().outputs());
    }
    try (SpillStore other = open(elsewhere())) {
      assertEquals(0, other.stats().outputs(), "of a pool that is only not open now");
    }
  }

  private StoreConfig elsewhere() {
    return StoreConfig.builder(directory.resolve("elsewhere"), 2 * SEGMENT_BYTES)
        .geometry(SEGMENT_BYTES, BLOCK_BYTES)
        .disk(List.of(disk()), 0, 0)
        .backgroundCopy(true)
        .recover(Set.of(APP))
        .build();
  }

  /** It has the generations, but is no pool yet. */
  @Test
  void aStartThatEndsHalfWayIsMadeAgain() throws Exception {
    List<Outputs.Content> contents;
    try (SpillStore store = open(configWithDisk(2).build())) {
      contents = fill(store);
    }
    lose();
    PoolSpace.Opener half =
        config ->
            new ForwardedSpace(place.open(config)) {
              @Override
              public void format(PoolHeader header) throws IOException {
                throw new IOException("of the test");
              }
            };
    assertThrows(IOException.class, () -> SpillStore.open(recovering(), half));
    try (SpillStore next = open(recovering())) {
      assertFound(next, contents);
      assertEnds(next);
    }
  }

  @Test
  void ofSeveralDirectoriesTheOneThatWasLeftBehindIsEmptied() throws Exception {
    Path second = directory.resolve("second");
    StoreConfig.Builder both = config(2).disk(List.of(disk(), second), 0, 0).backgroundCopy(true);
    try (SpillStore store = open(configWithDisk(2).build())) {
      fill(store);
    }
    try (SpillStore store = open(both.recover(Set.of(APP)).build())) {
      assertEquals(3, store.stats().outputs());
    }
    StoreConfig without = config(2).disk(List.of(second), 0, 0).recover(Set.of(APP)).build();
    try (SpillStore store = open(without)) {
      assertEquals(2, store.stats().outputs(), "it went on with what is in memory");
    }
    lose();
    try (SpillStore next = open(both.build())) {
      assertEquals(0, next.stats().outputs());
    }
  }
}
