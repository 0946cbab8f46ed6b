package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.disk.BufferSet.NoBufferException;
import io.sluice.spill.disk.DeviceFile;
import io.sluice.spill.disk.DeviceStats;
import io.sluice.spill.disk.IoClass;
import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.FooterLayout.LocationRecord;
import io.sluice.spill.format.OutputIdentity;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.PrivateDirectory;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import io.sluice.spill.store.StoreStats.CopyStats;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Outputs in memory that have a copy on disk, and whatever may happen to either. */
@Timeout(300)
@Tag("slow")
class BackgroundCopyTest extends PoolTestBase {
  private static final int OUTPUT_BYTES = 300_000;

  private Random random;
  private final AtDiskFile atAnnouncement = new AtDiskFile();

  @BeforeEach
  void seed() {
    random = seeded("BackgroundCopyTest");
  }

  private StoreConfig.Builder watched(int segments) {
    return configWithDisk(segments).segmentListener(atAnnouncement);
  }

  private Outputs.Content commit(SpillStore store, int number) throws IOException {
    try (Lease lease = store.openLease(APP)) {
      return commit(lease, id(number), random, OUTPUT_BYTES);
    }
  }

  private static CommittedOutput output(SpillStore store, int number) {
    return store.find(id(number)).orElseThrow();
  }

  private static void assertOn(Tier tier, CommittedOutput output) {
    assertEquals(output.location().lengthBytes(), output.location().bytesOf(tier), "on " + tier);
  }

  private static void awaitCopies(SpillStore store, int outputs) {
    while (store.stats().copies().outputs() < outputs) {
      Thread.onSpinWait();
    }
  }

  private static Map<IoClass, DeviceStats.Done> done(SpillStore store) {
    return store.deviceStats().get(0).classes();
  }

  private static void assertEnds(SpillStore store) throws IOException {
    store.freeApplication(APP);
    CopyStats copies = store.stats().copies();
    assertEquals(new CopyStats(0, 0, copies.failures(), 0), copies); // it may end while it is freed
    while (store.stats().disk().createdBytes() > 0) { // of a copy that was being made
      Thread.onSpinWait();
    }
    assertAllFree(store);
  }

  @Test
  void whatIsCommittedIsCopiedAndLeavesMemoryWithoutAByteWritten() throws Exception {
    try (SpillStore store = open(configWithDisk(2).backgroundCopy(true).build())) {
      Outputs.Content first = commit(store, 1);
      Outputs.Content second = commit(store, 2);
      awaitCopies(store, 2);
      StoreStats stats = store.stats();
      assertEquals(stats.copies().bytes(), stats.disk().createdBytes());
      assertEquals(0, stats.disk().committedBytes(), "no output lies there yet");
      CommittedOutput before = output(store, 1);
      assertOn(Tier.MEMORY, before);

      assertEquals(before.location().bytesOf(Tier.MEMORY), store.moveToDisk(before, () -> true));
      assertFalse(before.location().isHeld());
      assertOn(Tier.DISK, output(store, 1));
      assertTrue(output(store, 1).hasTheBytesOf(before));
      Outputs.check(store, id(1), first);
      Outputs.check(store, id(2), second);
      assertNull(done(store).get(IoClass.WRITE_SEND), "it was written once more");
      assertEquals(1, store.stats().copies().outputs());
      assertEnds(store);
    }
  }

  /** What it has on disk is part of both places, and given back once. */
  @Test
  void anOutputOnBothTiersSharesWhatIsOnDiskWithItsCopy() throws Exception {
    List<String> ends = List.of("freed", "moved", "dropped", "found again", "memory lost");
    for (String end : ends) {
      Outputs.Content content;
      try (SpillStore store = open(configWithDisk(1).build())) {
        content = onBothTiers(store);
        CommittedOutput before = output(store, 1);
        store.copyToDisk(before);
        StoreStats stats = store.stats();
        assertEquals(
            stats.disk().committedBytes() + stats.copies().bytes(), stats.disk().createdBytes());
        switch (end) {
          case "moved" -> assertTrue(store.moveToDisk(before, () -> true) > 0);
          case "dropped" -> assertTrue(store.dropCopies(1, 0));
          default -> {}
        }
        Outputs.check(store, id(1), content);
        if (List.of("freed", "moved", "dropped").contains(end)) {
          store.freeApplication(APP);
          assertAllFree(store);
          continue;
        }
      }
      if (end.equals("memory lost")) {
        PrivateDirectory.delete(pool());
      }
      try (SpillStore next = open(recovering())) {
        Outputs.check(next, id(1), content);
        assertEquals(end.equals("found again") ? 1 : 0, next.stats().copies().outputs());
        assertEnds(next);
      }
    }
  }

  /** Its end, with the mark, is part of the copy and still there when others have the memory. */
  @Test
  void aPlaceOfWhichTheMemoryWasLostDoesNotComeBackWithOthersMemory() throws Exception {
    Outputs.Content first;
    try (SpillStore store = open(configWithDisk(1).build())) {
      first = onBothTiers(store);
      store.copyToDisk(output(store, 1));
    }
    PrivateDirectory.delete(pool());
    Outputs.Content second;
    try (SpillStore next = open(recovering())) {
      Outputs.check(next, id(1), first);
      second = commit(next, 2);
      assertTrue(output(next, 2).location().bytesOf(Tier.MEMORY) > 0);
    }
    try (SpillStore last = open(recovering())) {
      assertEquals(2, last.stats().outputs());
      Outputs.check(last, id(1), first);
      Outputs.check(last, id(2), second);
      assertEnds(last);
    }
  }

  /**
   * Who wrote an output can write there what he likes, and must not keep a service from starting.
   */
  @Test
  void twoPlacesOfOneOutputThatShareBlocksInAnotherWayAreForged() throws Exception {
    OutputLocation left;
    OutputLocation moved;
    LocationRecord forged;
    byte[] mark = new byte[FooterLayout.TRAILER_BYTES];
    try (SpillStore store = open(configWithDisk(1).build())) {
      onBothTiers(store);
      CommittedOutput before = output(store, 1);
      left = before.location();
      left.read(left.lengthBytes() - mark.length, mark);
      store.moveToDisk(before, () -> true);
      moved = output(store, 1).location();
      forged = cutInPieces(before.identity(), moved);
      assertTrue(forged.extents().size() > moved.extents().size());
    }
    ByteBuffer bytes = forged.encode();
    bytes.putLong(bytes.capacity() - Long.BYTES, forged.commitMark());
    write(moved, bytes);
    write(left, ByteBuffer.wrap(mark));
    try (SpillStore next = open(recovering())) {
      assertTrue(next.find(id(1)).isEmpty());
      assertEnds(next);
    }
  }

  private static LocationRecord cutInPieces(OutputIdentity identity, OutputLocation place) {
    List<Range> pieces = new ArrayList<>();
    for (Extent extent : place.extents()) {
      long firstBytes = Math.min(BLOCK_BYTES, extent.lengthBytes());
      Range all = extent.range();
      pieces.add(new Range(all.segmentId(), all.offsetBytes(), firstBytes));
      if (firstBytes < all.lengthBytes()) {
        pieces.add(
            new Range(
                all.segmentId(), all.offsetBytes() + firstBytes, all.lengthBytes() - firstBytes));
      }
    }
    return new LocationRecord(
        place.poolId(),
        place.trailer(),
        place.generation(),
        pieces,
        FooterLayout.align8(identity.indexOffsetBytes() + identity.indexLengthBytes()),
        FooterLayout.identityBytes(identity.id()),
        identity.crc32c());
  }

  private static void write(OutputLocation place, ByteBuffer end) throws IOException {
    Path path = place.tail().info().path();
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
      file.write(end, place.trailer().endBytes() - end.capacity());
    }
  }

  private Outputs.Content onBothTiers(SpillStore store) throws IOException {
    while (true) { // draws until one is long enough for that
      Outputs.Content content;
      try (Lease lease = store.openLease(APP)) {
        content = commit(lease, id(1), random, 2 * SEGMENT_BYTES);
      }
      long memoryBytes = output(store, 1).location().bytesOf(Tier.MEMORY);
      if (memoryBytes > 0 && memoryBytes < output(store, 1).location().lengthBytes()) {
        return content;
      }
      store.freeOutput(id(1));
    }
  }

  @Test
  void whatHasACopyLeavesFirst() throws Exception {
    try (SpillStore store = open(configWithDisk(2).build())) {
      commit(store, 1);
      commit(store, 2);
      output(store, 2).runs(0); // which would go last
      store.copyToDisk(output(store, 2));
      assertEquals(List.of(id(2), id(1)), inMemory(store));
      assertEnds(store);
    }
  }

  @Test
  void anOutputHasOneCopyAndNoneWhereItIsOnDisk() throws Exception {
    try (SpillStore store = open(configWithDisk(2).build())) {
      commit(store, 1);
      store.copyToDisk(output(store, 1));
      final long bytes = store.stats().disk().createdBytes();
      store.copyToDisk(output(store, 1));
      store.moveToDisk(output(store, 1), () -> true);
      store.copyToDisk(output(store, 1));
      assertEquals(bytes, store.stats().disk().createdBytes());
      assertEnds(store);
    }
  }

  @Test
  void whatIsFreedOrReplacedOrMovedMeanwhileHasNoCopy() throws Exception {
    List<AtDiskFile.Step> steps =
        List.of(
            segment -> now.freeOutput(id(1)),
            segment -> now.freeApplication(APP),
            segment -> {
              try (Lease lease = now.openLease(APP)) {
                commit(ReplaceTest.replacing(lease), id(1), random, 1_000);
              }
            },
            segment -> now.moveToDisk(output(now, 1), () -> true));
    for (AtDiskFile.Step step : steps) {
      try (SpillStore store = open(watched(2).build())) {
        now = store;
        commit(store, 1);
        CommittedOutput before = output(store, 1);
        atAnnouncement.set(step);
        store.copyToDisk(before);
        assertEquals(0, store.stats().copies().outputs());
        long onDisk = store.find(id(1)).map(it -> it.location().bytesOf(Tier.DISK)).orElse(0L);
        assertEquals(onDisk, store.stats().disk().createdBytes(), "the copy stayed");
        assertEnds(store);
      }
    }
  }

  private SpillStore now; // of the steps

  /** It was begun before, and nobody knew of it when the move began. */
  @Test
  void aCopyThatIsThereWhenAMoveEndsGoes() throws Exception {
    try (SpillStore store = open(watched(2).build())) {
      Outputs.Content content = commit(store, 1);
      CommittedOutput before = output(store, 1);
      atAnnouncement.set(segment -> store.copyToDisk(before));
      assertTrue(store.moveToDisk(before, () -> true) > 0);
      assertEquals(0, store.stats().copies().outputs());
      StoreStats stats = store.stats();
      assertEquals(stats.disk().committedBytes(), stats.disk().createdBytes(), "the copy stayed");
      Outputs.check(store, id(1), content);
      assertEnds(store);
    }
  }

  @Test
  void aReplacedOutputTakesItsCopyWithIt() throws Exception {
    Outputs.Content later;
    try (SpillStore store = open(configWithDisk(2).build())) {
      commit(store, 1);
      store.copyToDisk(output(store, 1));
      try (Lease lease = store.openLease(APP)) {
        later = commit(ReplaceTest.replacing(lease), id(1), random, OUTPUT_BYTES);
      }
      assertEquals(0, store.stats().disk().createdBytes());
    }
    try (SpillStore next = open(recovering())) {
      Outputs.check(next, id(1), later);
      assertEquals(1, next.stats().outputs());
      next.freeApplication(APP);
    }
  }

  private StoreConfig recovering() {
    return configWithDisk(2).backgroundCopy(true).recover(Set.of(APP)).build();
  }

  @Test
  void copiesGiveWayToWhatNeedsTheirRoom() throws Exception {
    long roomBytes = 2 * SEGMENT_BYTES;
    try (SpillStore store = open(config(2).disk(List.of(disk()), roomBytes, 0).build())) {
      final Outputs.Content content = commit(store, 1);
      commit(store, 2);
      store.copyToDisk(output(store, 1));
      store.copyToDisk(output(store, 2));
      try (Lease lease = store.openLease(APP)) {
        StoreStats stats = store.stats();
        List<Extent> taken =
            lease.lease(stats.memory().capacityBytes() - stats.memory().usedBytes() + roomBytes);
        assertEquals(
            roomBytes,
            taken.stream()
                .filter(extent -> extent.segment().tier() == Tier.DISK)
                .mapToLong(Extent::lengthBytes)
                .sum());
        assertEquals(0, store.stats().copies().outputs());
        assertEquals(2, store.stats().copies().dropped());
        assertEquals(0, store.stats().refusals());
        assertThrows(StoreFullException.class, () -> store.copyToDisk(output(store, 1)));
        Outputs.check(store, id(1), content);
      }
      store.freeApplication(APP);
      assertAllFree(store);
    }
  }

  /** As a reducer does that gives back memory: what it has received goes there, or stays. */
  @Test
  void copiesGiveWayToWhatIsLeasedOnDiskAlone() throws Exception {
    long roomBytes = 2 * SEGMENT_BYTES;
    try (SpillStore store = open(config(2).disk(List.of(disk()), roomBytes, 0).build())) {
      commit(store, 1);
      store.copyToDisk(output(store, 1));
      try (Lease lease = store.openLease(APP)) {
        lease.leaseDisk(roomBytes);
        assertEquals(roomBytes, store.stats().disk().leasedBytes());
        assertEquals(1, store.stats().copies().dropped());
        assertThrows(StoreFullException.class, () -> lease.leaseDisk(1));
      }
      store.freeApplication(APP);
      assertAllFree(store);
    }
  }

  /** A copy that is being written is no reason to refuse a task what the disk has. */
  @Test
  void aCopyThatIsBeingWrittenGivesWayToo() throws Exception {
    long roomBytes = SEGMENT_BYTES;
    StoreConfig.Builder config = config(2).disk(List.of(disk()), roomBytes, 0);
    try (SpillStore store = open(withStep(config).build())) {
      final Outputs.Content content = commit(store, 1);
      try (Lease lease = store.openLease(APP)) {
        atRoom.set(
            () -> {
              StoreStats stats = store.stats();
              assertTrue(stats.disk().leasedBytes() > 0, "of the copy");
              lease.lease(stats.memory().capacityBytes() - stats.memory().usedBytes() + roomBytes);
            });
        assertThrows(StoreFullException.class, () -> store.copyToDisk(output(store, 1)));
        StoreStats stats = store.stats();
        assertEquals(roomBytes, stats.disk().leasedBytes());
        assertEquals(1, stats.copies().dropped());
        assertEquals(0, stats.refusals());
        assertEquals(0, stats.failedDirectories(), "no disk has failed");
        Outputs.check(store, id(1), content);
      }
      store.copyToDisk(output(store, 1));
      assertEquals(1, store.stats().copies().outputs());
      store.freeApplication(APP);
      assertAllFree(store);
    }
  }

  /** Where there is no room for days, many are committed and freed without a copy. */
  @Test
  void whatIsFreedBeforeItWasCopiedIsForgotten() throws Exception {
    StoreConfig.Builder full = config(2).disk(List.of(disk()), BLOCK_BYTES, 0);
    try (SpillStore store = open(full.backgroundCopy(true).build())) {
      commit(store, 1);
      commit(store, 2);
      WeakReference<CommittedOutput> freed = new WeakReference<>(output(store, 2));
      store.freeOutput(id(2));
      while (freed.get() != null) {
        assertFalse(Thread.currentThread().isInterrupted(), "the time is over");
        System.gc();
      }
      assertEnds(store);
    }
  }

  @Test
  void ofWhatIsFreedMeanwhileNothingMoreIsWritten() throws Exception {
    try (SpillStore store = open(withStep(configWithDisk(2)).build())) {
      commit(store, 1);
      commit(store, 2);
      CommittedOutput first = output(store, 1);
      atRoom.set(() -> store.freeOutput(id(1)));
      store.copyToDisk(first);
      CommittedOutput second = output(store, 2);
      atRoom.set(() -> store.freeOutput(id(2)));
      assertEquals(0, store.moveToDisk(second, () -> true));
      assertEquals(Map.of(), done(store));
      assertEnds(store);
    }
  }

  private final AtomicReference<RoomStep> atRoom = new AtomicReference<>(() -> {});

  private interface RoomStep {
    void run() throws IOException;
  }

  /** Does a step, once, when there is room for an output on disk and nothing is written yet. */
  private StoreConfig.Builder withStep(StoreConfig.Builder config) {
    return config.formerLeases(
        new RecoveredLeases() {
          @Override
          public Review review(UUID poolId) {
            return NONE.review(poolId);
          }

          @Override
          public void settled(Review review) {}

          @Override
          public Own own(LeaseInfo lease, List<Range> granted) throws IOException {
            atRoom.getAndSet(() -> {}).run();
            return forGood -> {};
          }
        });
  }

  @Test
  void anotherOutputsMoveNeedsTheirRoomMore() throws Exception {
    try (SpillStore store = open(config(2).disk(List.of(disk()), SEGMENT_BYTES, 0).build())) {
      List<Integer> copied = new ArrayList<>();
      for (int i = 0; copied.size() == i; i++) { // as many as there is room for
        commit(store, i);
        try {
          store.copyToDisk(output(store, i));
          copied.add(i);
        } catch (StoreFullException e) {
          assertTrue(i > 0, "not even one");
        }
      }
      CommittedOutput moved = output(store, copied.size());
      assertTrue(store.moveToDisk(moved, () -> true) > 0);
      assertOn(Tier.DISK, output(store, copied.size()));
      assertTrue(store.stats().copies().outputs() < copied.size());
      store.freeApplication(APP);
      assertAllFree(store);
    }
  }

  @Test
  void aDiskThatFailsAtTheMarkLeavesNoCopy() throws Exception {
    try (SpillStore store = open(watched(2).build())) {
      Outputs.Content content = commit(store, 1);
      atAnnouncement.set(segment -> segment.file().close());
      assertThrows(IOException.class, () -> store.copyToDisk(output(store, 1)));
      assertOn(Tier.MEMORY, output(store, 1));
      Outputs.check(store, id(1), content);
      assertEquals(0, store.stats().disk().createdBytes());
      assertEnds(store);
    }
  }

  /** Others have all of them: the device was asked for nothing, so its directory is as it was. */
  @Test
  void aCopyWithoutABufferLeavesNoDirectoryOut() throws Exception {
    try (SpillStore store = open(configWithDisk(2).diskTimeoutMs(SLOW_DISK_MS).build());
        Lease others = store.openLease(APP)) {
      commit(store, 1);
      List<DeviceFile.Write> taken = new ArrayList<>();
      for (int i = 0; i < 2; i++) { // files, each of which may have two of the four buffers
        Range range = others.leaseDisk(BLOCK_BYTES).get(0).range();
        DiskSegment segment = (DiskSegment) store.segment(range.segmentId()).orElseThrow();
        taken.add(segment.beginWrite(IoClass.COPY, 0, 1));
        taken.add(segment.beginWrite(IoClass.COPY, 1, 1));
      }
      assertThrows(NoBufferException.class, () -> store.copyToDisk(output(store, 1)));
      assertEquals(0, store.stats().failedDirectories());
      others.leaseDisk(BLOCK_BYTES);
      taken.forEach(DeviceFile.Write::close);
      store.copyToDisk(output(store, 1));
      assertEquals(1, store.stats().copies().outputs());
      store.freeApplication(APP);
    }
  }

  @Test
  void copiesAreFoundAgainBesideTheirOutputs() throws Exception {
    Outputs.Content content;
    try (SpillStore store = open(configWithDisk(2).build())) {
      content = commit(store, 1);
      store.copyToDisk(output(store, 1));
    }
    try (SpillStore next = open(recovering())) {
      assertOn(Tier.MEMORY, output(next, 1));
      assertEquals(1, next.stats().copies().outputs());
      next.moveToDisk(output(next, 1), () -> true);
      Outputs.check(next, id(1), content);
      assertEnds(next);
    }
  }

  @Test
  void withoutTheSettingACopyIsWhereTheOutputLies() throws Exception {
    Outputs.Content content;
    try (SpillStore store = open(configWithDisk(2).build())) {
      content = commit(store, 1);
      store.copyToDisk(output(store, 1));
    }
    try (SpillStore next = open(configWithDisk(2).recover(Set.of()).build())) {
      assertOn(Tier.DISK, output(next, 1));
      Outputs.check(next, id(1), content);
      assertEquals(0, next.stats().memory().usedBytes());
      assertEnds(next);
    }
  }

  @Test
  void aStartCopiesWhatHasNoCopyYet() throws Exception {
    try (SpillStore store = open(configWithDisk(2).build())) {
      commit(store, 1);
      commit(store, 2);
      store.copyToDisk(output(store, 2));
    }
    try (SpillStore next = open(recovering())) {
      awaitCopies(next, 2);
      assertEnds(next);
    }
  }

  /** What is copied waits until the disk has been idle for a second; nobody waits for that. */
  @Test
  void theEndOfTheStoreEndsACopyThatWaits() throws Exception {
    Outputs.Content content;
    try (SpillStore store = open(configWithDisk(2).backgroundCopy(true).build())) {
      commit(store, 1);
      store.moveToDisk(output(store, 1), () -> true);
      content = commit(store, 2);
    }
    try (SpillStore next = open(recovering())) {
      Outputs.check(next, id(2), content);
      assertEquals(2, next.stats().outputs());
      assertEnds(next);
    }
  }
}
