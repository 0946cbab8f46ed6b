package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.SharedFile;
import io.sluice.spill.disk.DeviceStats;
import io.sluice.spill.disk.IoClass;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.CopyWriter.InFlightWrites;
import io.sluice.spill.store.MemorySource.MemoryUse;
import io.sluice.spill.store.SegmentHandle.SegmentListener;
import io.sluice.spill.writer.OutputWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A disk that does not answer: here, because the test has the file's monitor. */
@Timeout(300)
@Tag("slow")
class HungDiskTest extends PoolTestBase {
  private static final String OTHER_APP = "application_1_0002";

  /** What has no room in memory goes to one that works; both are on one file system. */
  private StoreConfig.Builder twoDisks(int segments) {
    List<Path> directories = List.of(directory.resolve("disk1"), directory.resolve("disk2"));
    return config(segments).disk(directories, 0, 0).diskTimeoutMs(SLOW_DISK_MS);
  }

  private static SharedFile fileOf(SpillStore store, Extent extent) {
    return store.segment(extent.segment().segmentId()).orElseThrow().file();
  }

  @Test
  void aFileThatHangsIsLeftAloneAndTheStoreGoesOn() throws Exception {
    Random random = seeded("aFileThatHangsIsLeftAloneAndTheStoreGoesOn");
    // Beside one that hangs, the other has a tenth of that for an answer.
    StoreConfig.Builder patient = twoDisks(0).diskTimeoutMs(3 * SLOW_DISK_MS);
    try (SpillStore store = SpillStore.open(patient.build())) {
      try (Lease lease = store.openLease(APP)) {
        Extent extent = lease.lease(3 * BLOCK_BYTES).get(0);
        SegmentInfo segment = extent.segment();
        synchronized (fileOf(store, extent)) {
          lease.release(List.of(new Extent(segment, 2 * BLOCK_BYTES, BLOCK_BYTES)));
          assertEquals(1, store.stats().failedDirectories());
          Outputs.Content content = commit(lease, id(1), random, 300_000);
          Outputs.check(store, id(1), content);
          for (Extent used : store.find(id(1)).orElseThrow().extents()) {
            assertNotEquals(segment.path().getParent(), used.segment().path().getParent());
          }
        }
        SegmentHandle cut = store.segment(segment.segmentId()).orElseThrow();
        while (cut.lengthBytes() > 2 * BLOCK_BYTES) { // late, and yet the books agree with it
          Thread.onSpinWait();
        }
        assertEquals(cut.lengthBytes(), Files.size(segment.path()));
      }
      store.freeApplication(APP);
      assertEquals(0, store.stats().disk().createdBytes());
    }
  }

  @Test
  void aMarkThatHangsTakesNoBlocksAtTheNextStart() throws Exception {
    Random random = seeded("aMarkThatHangsTakesNoBlocksAtTheNextStart");
    Outputs.Content later;
    SpillStore store = SpillStore.open(twoDisks(1).build());
    SegmentHandle tail = straddle(store, random);
    synchronized (tail.file()) {
      store.freeApplication(APP);
      try (Lease lease = store.openLease(APP)) {
        later = commit(lease, id(2), random, 300_000);
      }
      assertEquals(Tier.MEMORY, store.find(id(2)).orElseThrow().extents().get(0).segment().tier());
      IOException refused = assertThrows(IOException.class, store::close);
      Path hung = tail.info().path().getParent();
      assertTrue(refused.getMessage().contains(hung.toString()), refused.getMessage());
    }
    try (SpillStore next = SpillStore.open(twoDisks(1).recover(Set.of()).build())) {
      Outputs.check(next, id(2), later);
      assertFalse(next.find(id(1)).isPresent());
    }
  }

  @Test
  void aCommitToADiskThatHangsFailsAndTheNextGoesElsewhere() throws Exception {
    Random random = seeded("aCommitToADiskThatHangsFailsAndTheNextGoesElsewhere");
    byte[] run = new byte[300_000];
    random.nextBytes(run);
    Outputs.Content content = new Outputs.Content(1, List.of(0), List.of(run));
    try (SpillStore store = SpillStore.open(twoDisks(0).build());
        Lease lease = store.openLease(APP)) {
      try (OutputWriter writer = writer(lease, 1)) {
        Outputs.write(writer, content, random);
        SegmentInfo segment = store.segments().get(0);
        synchronized (store.segment(segment.segmentId()).orElseThrow().file()) {
          assertThrows(IOException.class, () -> writer.commit(id(1)));
          assertFalse(store.find(id(1)).isPresent());
        }
      }
      awaitAnswers(store);
      Outputs.check(store, id(2), commit(lease, id(2), random, 300_000));
    }
  }

  /**
   * Files are still made there, as a file system does in memory; it was asked for something else.
   */
  @Test
  void ofADeviceThatHangsNothingIsGranted() throws Exception {
    StoreConfig.Builder oneDisk = configWithDisk(0).diskTimeoutMs(SLOW_DISK_MS);
    try (SpillStore store = SpillStore.open(oneDisk.build());
        Lease lease = store.openLease(APP)) {
      Extent extent = lease.lease(BLOCK_BYTES).get(0);
      SegmentHandle segment = store.segment(extent.segment().segmentId()).orElseThrow();
      synchronized (segment.file()) {
        ByteBuffer bytes = ByteBuffer.allocate(1);
        assertThrows(IOException.class, () -> write(segment, bytes));
        assertEquals(0, store.stats().failedDirectories(), "nobody has told the store");
        StoreFullException refused =
            assertThrows(StoreFullException.class, () -> lease.lease(BLOCK_BYTES));
        assertTrue(refused.getMessage().contains("does not answer"), refused.getMessage());
      }
      awaitAnswers(store);
    }
  }

  private static void write(SegmentHandle segment, ByteBuffer bytes) throws IOException {
    try (InFlightWrites units = new InFlightWrites((failed, cause) -> {})) {
      units.write((DiskSegment) segment, IoClass.WRITE_SORT, 1, bytes);
      units.await();
    }
  }

  /** Their room would be nobody's, and they are not made again. */
  @Test
  void copiesDoNotGiveWayWhereNoDeviceAnswers() throws Exception {
    Random random = seeded("copiesDoNotGiveWayWhereNoDeviceAnswers");
    try (SpillStore store =
        SpillStore.open(configWithDisk(2).diskTimeoutMs(SLOW_DISK_MS).build())) {
      try (Lease lease = store.openLease(APP)) {
        commit(lease, id(1), random, 300_000);
      }
      store.copyToDisk(store.find(id(1)).orElseThrow());
      assertEquals(1, store.stats().copies().outputs());
      try (Lease lease = store.openLease(APP)) {
        Extent extent = lease.leaseDisk(BLOCK_BYTES).get(0);
        SegmentHandle segment = store.segment(extent.segment().segmentId()).orElseThrow();
        synchronized (segment.file()) {
          ByteBuffer bytes = ByteBuffer.allocate(1);
          assertThrows(IOException.class, () -> write(segment, bytes));
          assertThrows(StoreFullException.class, () -> lease.leaseDisk(BLOCK_BYTES));
        }
        awaitAnswers(store);
      }
      assertEquals(0, store.stats().copies().dropped());
      assertEquals(1, store.stats().copies().outputs());
      store.freeApplication(APP);
    }
  }

  /** Who asks where runs lie keeps a connection for as long as he waits, and others have none. */
  @Test
  void anIndexOnADiskThatHangsIsAnErrorInTime() throws Exception {
    Random random = seeded("anIndexOnADiskThatHangsIsAnErrorInTime");
    try (SpillStore store =
        SpillStore.open(configWithDisk(0).diskTimeoutMs(SLOW_DISK_MS).build())) {
      try (Lease lease = store.openLease(APP)) {
        commit(lease, id(1), random, 300_000);
      }
      CommittedOutput output = store.find(id(1)).orElseThrow();
      Extent tail = output.extents().get(output.extents().size() - 1);
      synchronized (fileOf(store, tail)) {
        assertThrows(IOException.class, () -> output.runs(0));
      }
      awaitAnswers(store);
    }
  }

  /** What is given back at a disk that does not answer holds up nobody who uses no disk. */
  @Test
  void othersAreGrantedMemoryWhileADiskDoesNotAnswer() throws Exception {
    Random random = seeded("othersAreGrantedMemoryWhileADiskDoesNotAnswer");
    // So long that others would wait for it, and shorter than a test may take.
    StoreConfig.Builder patient = twoDisks(1).diskTimeoutMs(120_000);
    try (SpillStore store = SpillStore.open(patient.build());
        Lease onDisk = store.openLease(OTHER_APP);
        Lease other = store.openLease(OTHER_APP)) {
      Optional<Extent> inMemory = Optional.empty();
      while (inMemory.isEmpty()) { // until the pool has its segment
        inMemory = other.leaseMemory(MemoryUse.WRITING, 2 * BLOCK_BYTES);
      }
      SegmentHandle tail = straddle(store, random);
      Extent leased = onDisk.leaseDisk(4 * BLOCK_BYTES).get(0);
      Extent half = new Extent(leased.segment(), 2 * BLOCK_BYTES, 2 * BLOCK_BYTES);
      SegmentHandle file = store.segment(leased.segment().segmentId()).orElseThrow();
      for (GivingBack each :
          List.of(
              new GivingBack(tail, () -> store.freeApplication(APP)),
              new GivingBack(file, () -> onDisk.release(List.of(half))))) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread giving =
            new Thread(
                () -> {
                  try {
                    each.step().close();
                    done.complete(null);
                  } catch (IOException e) {
                    done.completeExceptionally(e);
                  }
                });
        synchronized (each.file().file()) {
          giving.start();
          while (giving.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
          }
          other.release(List.of(inMemory.orElseThrow()));
          inMemory = other.leaseMemory(MemoryUse.WRITING, 2 * BLOCK_BYTES);
          assertTrue(inMemory.isPresent());
          assertEquals(0, store.stats().outputs(), "nobody finds it any more");
          assertEquals(0, store.stats().failedDirectories(), "it was waited for");
          assertFalse(done.isDone());
        }
        done.get(120, TimeUnit.SECONDS);
      }
      assertEquals(2 * BLOCK_BYTES, store.stats().disk().createdBytes());
      assertEquals(0, store.stats().memory().committedBytes());
    }
  }

  /** Something that is given back at a file. */
  private record GivingBack(SegmentHandle file, Closeable step) {}

  /** A reader holds the file, so that it cannot be closed; everything else is given back. */
  @Test
  void aFileThatCannotBeClosedHoldsUpNoOther() throws Exception {
    SpillStore store = SpillStore.open(twoDisks(1).build());
    Extent extent = store.openLease(APP).lease(SEGMENT_BYTES + BLOCK_BYTES).get(1);
    SharedFile file = fileOf(store, extent);
    synchronized (file) {
      assertThrows(IOException.class, store::close);
      SpillStore.open(config(1).build()).close(); // without disks, it is nobody else's
    }
    while (OpenFiles.below(extent.segment().path().getParent()) > 0) {
      Thread.onSpinWait();
    }
  }

  /** Holds up whatever comes behind it. */
  private static final class Held implements DiskThread.Action {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch answer = new CountDownLatch(1);

    @Override
    public void run() {
      begun.countDown();
      try {
        answer.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** The lock of the store would be held as long, and its directory be given up for it. */
  @Test
  void aMarkDoesNotQueueBehindFilesThatAreMadeAndDeleted() throws Exception {
    Random random = seeded("aMarkDoesNotQueueBehindFilesThatAreMadeAndDeleted");
    Held held = new Held();
    SegmentListener afterTheDiskHasAnswered =
        onAdding(
            segment -> {
              new Thread(() -> run(() -> segment.atFileSystem(held))).start();
              run(held.begun::await);
            });
    StoreConfig.Builder oneDisk = configWithDisk(0).diskTimeoutMs(120_000);
    Outputs.Content content = Outputs.random(random, 3, 300_000);
    try (SpillStore store =
            SpillStore.open(oneDisk.segmentListener(afterTheDiskHasAnswered).build());
        Lease lease = store.openLease(APP);
        OutputWriter writer = writer(lease, 3)) {
      try {
        Outputs.write(writer, content, random);
        writer.commit(id(1));
      } finally {
        held.answer.countDown();
      }
      Outputs.check(store, id(1), content);
    }
  }

  private interface Step {
    void run() throws Exception;
  }

  private static void run(Step step) {
    try {
      step.run();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Returns when it is being done. */
  private static void hang(SegmentHandle segment, Held held) {
    new Thread(() -> assertThrows(IOException.class, () -> segment.atMarks(held))).start();
    run(held.begun::await);
  }

  private static void awaitMarks(SegmentHandle segment, Held held) throws IOException {
    held.answer.countDown();
    while (true) {
      try {
        segment.atMarks(() -> {});
        return;
      } catch (DiskThread.NotBegunException e) {
        Thread.onSpinWait();
      }
    }
  }

  /** The defect was: all outputs of its directory were lost at the next start. */
  @Test
  void aMarkThatIsNotBegunCostsNoOtherOutput() throws Exception {
    Random random = seeded("aMarkThatIsNotBegunCostsNoOtherOutput");
    Held held = new Held();
    AtomicBoolean hangs = new AtomicBoolean();
    AtomicReference<SegmentHandle> hung = new AtomicReference<>();
    SegmentListener afterTheDiskHasAnswered =
        onAdding(
            segment -> {
              if (hangs.compareAndSet(true, false)) { // an output may lie in several
                hung.set(segment);
                hang(segment, held);
              }
            });
    StoreConfig.Builder oneDisk = configWithDisk(0).diskTimeoutMs(3 * SLOW_DISK_MS);
    oneDisk.segmentListener(afterTheDiskHasAnswered);
    Outputs.Content first;
    try (SpillStore store = SpillStore.open(oneDisk.build());
        Lease lease = store.openLease(APP)) {
      first = commit(lease, id(1), random, 300_000);
      hangs.set(true);
      assertThrows(IOException.class, () -> commit(lease, id(2), random, 300_000));
      assertFalse(store.find(id(2)).isPresent());
      assertEquals(1, store.stats().failedDirectories());
      awaitMarks(hung.get(), held);
    }
    try (SpillStore next = SpillStore.open(oneDisk.recover(Set.of()).build())) {
      Outputs.check(next, id(1), first);
      assertFalse(next.find(id(2)).isPresent());
    }
  }

  /** It would be gone, and the other one not there. */
  @Test
  void whereNoMarkCanBeWrittenNothingIsReplaced() throws Exception {
    Random random = seeded("whereNoMarkCanBeWrittenNothingIsReplaced");
    Held held = new Held();
    StoreConfig.Builder oneDisk = configWithDisk(0).diskTimeoutMs(3 * SLOW_DISK_MS);
    try (SpillStore store = SpillStore.open(oneDisk.build());
        Lease lease = store.openLease(APP);
        OutputWriter writer = writer(ReplaceTest.replacing(lease), 1)) {
      Outputs.Content first = commit(lease, id(1), random, 300_000);
      Outputs.write(writer, Outputs.random(random, 1, 300_000), random);
      SegmentHandle file = store.find(id(1)).orElseThrow().location().tail();
      hang(file, held);
      assertThrows(IOException.class, () -> writer.commit(id(1)));
      awaitMarks(file, held);
      Outputs.check(store, id(1), first);
    }
  }

  /** A store closed before that leaves the device what it has; it is freed when it answers. */
  private static void awaitAnswers(SpillStore store) {
    while (store.deviceStats().stream().anyMatch(DeviceStats::hangs)) {
      Thread.onSpinWait();
    }
  }
}
