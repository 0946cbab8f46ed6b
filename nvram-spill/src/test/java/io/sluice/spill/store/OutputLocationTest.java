package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.OutputIdentity;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OutputLocationTest extends PoolTestBase {
  private static final int DATA_BYTES = SEGMENT_BYTES + SEGMENT_BYTES / 2 + 77;

  private static byte[] random(Random random, int lengthBytes) {
    byte[] bytes = new byte[lengthBytes];
    random.nextBytes(bytes);
    return bytes;
  }

  /** One run of these bytes, in many extents, some of them on disk. */
  private CommittedOutput commit(SpillStore store, byte[] data) throws IOException {
    try (Lease lease = store.openLease(APP);
        OutputWriter writer = new OutputWriter(lease, medium(), 1, 2 * BLOCK_BYTES)) {
      writer.beginRun(0);
      writer.write(data, 0, data.length);
      writer.endRun(data.length, 1);
      writer.commit(id(1));
    }
    return store.find(id(1)).orElseThrow();
  }

  @Test
  void readsAcrossExtentsAndTiers() throws Exception {
    Random random = seeded("readsAcrossExtentsAndTiers");
    byte[] data = random(random, DATA_BYTES);
    try (SpillStore store = SpillStore.open(configWithDisk(1).build())) {
      OutputLocation place = commit(store, data).location();
      assertTrue(place.extents().size() > 2, place.extents() + " are too few for this test");
      assertTrue(place.bytesOf(Tier.MEMORY) > 0 && place.bytesOf(Tier.DISK) > 0);
      assertEquals(place.lengthBytes(), place.bytesOf(Tier.MEMORY) + place.bytesOf(Tier.DISK));
      byte[] all = new byte[DATA_BYTES];
      place.read(0, all);
      assertArrayEquals(data, all);
      for (int round = 0; round < 200; round++) {
        int from = random.nextInt(DATA_BYTES);
        byte[] part = new byte[random.nextInt(DATA_BYTES - from)];
        place.read(from, part);
        assertArrayEquals(Arrays.copyOfRange(data, from, from + part.length), part);
      }
    }
  }

  @Test
  void whatIsOutsideIsRefused() throws Exception {
    try (SpillStore store = SpillStore.open(config(1).build())) {
      OutputLocation place = commit(store, new byte[100]).location();
      long lengthBytes = place.lengthBytes();
      place.read(lengthBytes, new byte[0]);
      for (long from : new long[] {-1, lengthBytes, Long.MAX_VALUE, Long.MIN_VALUE}) {
        assertThrows(IndexOutOfBoundsException.class, () -> place.read(from, new byte[1]));
      }
      assertThrows(
          IndexOutOfBoundsException.class, () -> place.read(1, new byte[(int) lengthBytes]));
    }
  }

  @Test
  void theIdentityIsTheSameWhereverItLies() throws Exception {
    byte[] run = random(seeded("theIdentityIsTheSameWhereverItLies"), 3 * BLOCK_BYTES);
    try (SpillStore store = SpillStore.open(config(1).build());
        Lease lease = store.openLease(APP)) {
      CommittedOutput here = write(store, lease, run);
      List<Extent> between = lease.lease(BLOCK_BYTES);
      store.freeOutput(id(1));
      lease.lease(BLOCK_BYTES); // so that it is free elsewhere only
      CommittedOutput there = write(store, lease, run);
      lease.release(between);
      assertNotEquals(here.location().trailer(), there.location().trailer());
      assertEquals(here.identity(), there.identity());
      assertEquals(here.identity().encode(), there.identity().encode());
      OutputIdentity identity = there.identity();
      byte[] onMedium = new byte[identity.encode().capacity()];
      there
          .location()
          .read(
              FooterLayout.align8(identity.indexOffsetBytes() + identity.indexLengthBytes()),
              onMedium);
      assertArrayEquals(here.identity().encode().array(), onMedium);
    }
  }

  private CommittedOutput write(SpillStore store, ExtentSource source, byte[] run)
      throws IOException {
    try (OutputWriter writer = writer(source, 2)) {
      writer.beginRun(1);
      writer.write(run, 0, run.length);
      writer.endRun(run.length, 1);
      writer.commit(id(1));
    }
    return store.find(id(1)).orElseThrow();
  }

  @Test
  void isHeldUntilItsBlocksGoBack() throws Exception {
    Random random = seeded("isHeldUntilItsBlocksGoBack");
    try (SpillStore store = SpillStore.open(config(1).build());
        Lease lease = store.openLease(APP)) {
      commit(lease, id(1), random, 10_000);
      OutputLocation first = store.find(id(1)).orElseThrow().location();
      assertTrue(first.isHeld());
      try (Lease another = store.openLease(APP)) {
        commit(ReplaceTest.replacing(another), id(1), random, 10_000);
      }
      OutputLocation second = store.find(id(1)).orElseThrow().location();
      assertFalse(first.isHeld(), "replaced");
      assertTrue(second.isHeld());
      assertTrue(second.generation() > first.generation());
      store.freeOutput(id(1));
      assertFalse(second.isHeld(), "freed");
    }
  }
}
