package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.NativeFile;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.CrashingMedium;
import io.sluice.spill.segment.SegmentInfo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a pool makes of the device, or of the huge pages, that it finds. */
class MappedPoolTest extends PoolTestBase {
  private static final int MAX_STEPS = 100;

  @ParameterizedTest
  @EnumSource(names = {"FILE_AS_DEVICE", "DEVICE"})
  void somebodyElsesDeviceIsRefusedAndUntouched(TestPlace where) throws Exception {
    at(where);
    setByte(4095, (byte) 7);
    assertRefused(config(1).build(), "wipe it");
    assertRefused(config(1).recover(Set.of()).build(), "wipe it");
    setByte(4095, (byte) 0);
    open(config(1).build()).close();
  }

  @ParameterizedTest
  @EnumSource(names = {"FILE_AS_DEVICE", "HUGE_PAGES", "DEVICE"})
  void twoStoresNeverShareAPlace(TestPlace where) throws Exception {
    at(where);
    try (SpillStore store = open(config(1).build());
        Lease lease = store.openLease(APP)) {
      commit(lease, id(1), new Random(1), 100_000); // opens and closes other descriptors of it
      assertRefused(config(1).build(), "in use by another store");
    }
    open(config(1).build()).close();
  }

  @ParameterizedTest
  @EnumSource(names = {"FILE_AS_DEVICE", "HUGE_PAGES", "DEVICE"})
  void aPoolOfAnotherGeometryIsNotRecovered(TestPlace where) throws Exception {
    at(where);
    open(config(1).build()).close();
    int segmentBytes = place.segmentBytes();
    assertRefused(
        config(1).geometry(segmentBytes, 2 * BLOCK_BYTES).recover(Set.of()).build(),
        "blockBytes = " + BLOCK_BYTES + ", expected " + 2 * BLOCK_BYTES);
    assertRefused(
        config(1).geometry(segmentBytes / 2, BLOCK_BYTES).build(), "must be a multiple of");
  }

  @ParameterizedTest
  @EnumSource(names = {"FILE_AS_DEVICE", "DEVICE"})
  void aDamagedHeaderIsNamed(TestPlace where) throws Exception {
    at(where);
    open(config(1).build()).close();
    setByte(MappedLayout.POOL_ID_OFFSET, (byte) 1);
    setByte(MappedLayout.POOL_ID_OFFSET + 1, (byte) 2);
    assertRefused(config(1).recover(Set.of()).build(), "is damaged");
  }

  /** Tasks of then may still write to where others would. */
  @ParameterizedTest
  @EnumSource(names = {"FILE_AS_DEVICE", "DEVICE"})
  void aDeviceOfAnotherReleaseIsNotRecovered(TestPlace where) throws Exception {
    at(where);
    open(config(1).build()).close();
    setByte(MappedLayout.VERSION_OFFSET + 3, (byte) 5);
    assertRefused(
        config(1).recover(Set.of()).build(),
        "is of another release of Sluice: it has format 5, this release 6");
    open(config(1).build()).close();
  }

  @ParameterizedTest
  @EnumSource(names = {"FILE_AS_DEVICE", "HUGE_PAGES", "DEVICE"})
  void withoutRecoveryEverythingStartsAnew(TestPlace where) throws Exception {
    at(where);
    Random random = seeded("withoutRecoveryEverythingStartsAnew");
    UUID former;
    try (SpillStore store = open(config(2).build())) {
      former = store.poolId();
      commit(store.openLease(APP), id(1), random, 1_000_000);
    }
    open(config(2).build()).close();
    try (SpillStore store = open(config(2).recover(Set.of()).build())) {
      assertNotEquals(former, store.poolId());
      assertEquals(0, store.stats().outputs());
      assertAllFree(store);
      for (SegmentInfo segment : store.segments()) {
        ByteBuffer memory =
            store.segment(segment.segmentId()).orElseThrow().mapping().orElseThrow();
        assertEquals(-1, memory.mismatch(ByteBuffer.allocate(memory.capacity())), "stale bytes");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FILE_AS_DEVICE", "HUGE_PAGES", "DEVICE"})
  void aProcessThatDiesWhileItFormatsLeavesNoHalfPool(TestPlace where) throws Exception {
    at(where);
    Random random = seeded("aProcessThatDiesWhileItFormatsLeavesNoHalfPool");
    OutputId id = id(1);
    boolean died = true;
    for (int step = 0; died; step++) {
      assertTrue(step < MAX_STEPS, "never got through");
      Outputs.Content content;
      try (SpillStore store = open(config(2).build())) {
        content = commit(store.openLease(APP), id, random, 100_000);
      }
      died = diesFormatting(step, random);
      try (SpillStore store = open(config(2).recover(Set.of()).build())) {
        // the store of the first step may have been enough, even if nobody waited for it
        if (died && step == 0 && store.find(id).isPresent()) {
          Outputs.check(store, id, content);
        } else {
          assertEquals(0, store.stats().outputs(), "outputs, died at step " + step);
        }
        store.freeApplication(APP);
        assertAllFree(store);
      }
    }
  }

  private boolean diesFormatting(int step, Random random) throws IOException {
    CrashingMedium medium = new CrashingMedium(medium(), true, step, random);
    StoreConfig config = config(2).medium(medium).build();
    try (PoolSpace space = place.open(config)) {
      space.clear();
      space.format(new PoolHeader(UUID.randomUUID(), config.segmentBytes(), BLOCK_BYTES));
      return false;
    } catch (CrashingMedium.Crash e) {
      return true;
    }
  }

  @Test
  void aDeviceSmallerThanTheCapacityIsUsedAsFarAsItGoes() throws Exception {
    at(TestPlace.FILE_AS_DEVICE);
    try (SpillStore store = open(config(100).build());
        Lease lease = store.openLease(APP)) {
      lease.lease(7L * place.segmentBytes());
      String message =
          assertThrows(StoreFullException.class, () -> lease.lease(place.segmentBytes()))
              .getMessage();
      assertTrue(message.contains("has room for 7 segments"), message);
    }
  }

  @Test
  void withoutFreeHugePagesThePoolStaysSmaller() throws Exception {
    at(TestPlace.HUGE_PAGES);
    try (SpillStore store = open(config(100_000).build());
        Lease lease = store.openLease(APP)) {
      String message =
          assertThrows(StoreFullException.class, () -> lease.lease(100_000L * place.segmentBytes()))
              .getMessage();
      assertTrue(message.contains("vm.nr_hugepages"), message);
      commit(lease, id(1), new Random(1), 100_000);
    }
  }

  private void at(TestPlace where) {
    place = where;
    assumePlace();
  }

  private void setByte(int offset, byte value) throws IOException {
    try (NativeFile file = NativeFile.open(pool(), TestPlace.UNIT_BYTES, true);
        Mapping first = file.map(0, MappedLayout.FIRST_PAGE_BYTES)) {
      first.buffer().put(offset, value);
    }
  }

  private void assertRefused(StoreConfig config, String reason) {
    String message = assertThrows(IOException.class, () -> open(config)).getMessage();
    assertTrue(message.contains(reason), message);
  }
}
