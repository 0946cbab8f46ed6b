package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A disk that takes its time, so that others wait behind it: here, until the test leaves a file's
 * monitor.
 */
@Timeout(300)
class SlowDiskTest extends PoolTestBase {
  private static final long PATIENT_MS = 200_000;
  private static final String OTHER_APP = "application_1_0002";

  private StoreConfig.Builder slow(int segments) {
    return configWithDisk(segments).diskTimeoutMs(PATIENT_MS);
  }

  /** What is done while the disk cuts a file. */
  private interface Meanwhile {
    void run() throws Exception;
  }

  private static void whileItCuts(SpillStore store, Meanwhile meanwhile) throws Exception {
    try (Lease lease = store.openLease(APP)) {
      Extent extent = lease.leaseDisk(2 * BLOCK_BYTES).get(0);
      Extent end = new Extent(extent.segment(), BLOCK_BYTES, BLOCK_BYTES);
      FutureTask<Void> cut =
          new FutureTask<>(
              () -> {
                lease.release(List.of(end));
                return null;
              });
      synchronized (store.segment(extent.segment().segmentId()).orElseThrow().file()) {
        new Thread(cut, "cut").start();
        while (diskThreads().noneMatch(thread -> thread.getState() == Thread.State.BLOCKED)) {
          Thread.onSpinWait();
        }
        meanwhile.run();
      }
      cut.get();
    }
  }

  private static Stream<Thread> diskThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("sluice-disk "));
  }

  private static FutureTask<List<Extent>> leaseOnDisk(Lease lease, long blocks) {
    return begin(() -> lease.leaseDisk(blocks * BLOCK_BYTES));
  }

  private static <T> FutureTask<T> begin(Callable<T> what) {
    FutureTask<T> begun = new FutureTask<>(what);
    Thread thread = new Thread(begun, "waits for a disk");
    thread.start();
    while (!waitsForDisk(thread)) {
      if (begun.isDone()) {
        assertEquals("it waits", outcome(begun));
      }
      Thread.onSpinWait();
    }
    return begun;
  }

  private static String outcome(FutureTask<?> begun) {
    try {
      return String.valueOf(begun.get());
    } catch (InterruptedException | ExecutionException e) {
      return e.toString();
    }
  }

  /**
   * For its files, for its turn or for others; whoever asks how much room there is has none yet.
   */
  private static boolean waitsForDisk(Thread thread) {
    Set<String> at =
        Stream.of(thread.getStackTrace())
            .map(
                frame ->
                    frame.getClassName().replaceFirst(".*[.]", "") + "." + frame.getMethodName())
            .collect(Collectors.toSet());
    boolean forItsTurn =
        at.containsAll(Set.of("DiskSpace.makeInTurn", "AbstractQueuedSynchronizer.acquire"))
            && Collections.disjoint(at, Set.of("DiskSpace.begin", "DiskSpace.waitMs"));
    return forItsTurn
        || !Collections.disjoint(
            at, Set.of("DiskTier.make", "DiskSpace.settle", "DiskSpace.awaitEnd"));
  }

  private static void awaitMemory(SpillStore store) {
    while (store.stats().memory().createdBytes() < SEGMENT_BYTES) {
      Thread.onSpinWait();
    }
  }

  private static long bytes(List<Extent> extents) {
    return extents.stream().mapToLong(Extent::lengthBytes).sum();
  }

  @Test
  void holdsUpOnlyWhoLeasesThere() throws Exception {
    Random random = seeded("holdsUpOnlyWhoLeasesThere");
    try (SpillStore store = SpillStore.open(slow(2).build());
        Lease onDisk = store.openLease(APP);
        Lease inMemory = store.openLease(APP)) {
      List<FutureTask<List<Extent>>> leasing = new ArrayList<>();
      whileItCuts(
          store,
          () -> {
            leasing.add(leaseOnDisk(onDisk, 3));
            Outputs.Content content = commit(inMemory, id(1), random, 100_000);
            Outputs.check(store, id(1), content);
            store.freeOutput(id(1));
            assertFalse(leasing.get(0).isDone(), "the disk has not answered");
          });
      assertEquals(3 * BLOCK_BYTES, bytes(leasing.get(0).get()));
    }
  }

  @Test
  void whoEndsMeanwhileLeavesNoFile() throws Exception {
    try (SpillStore store = SpillStore.open(slow(0).build())) {
      Lease lease = store.openLease(APP);
      assertLeavesNothing(store, lease, lease::close, "is closed");
    }
  }

  @Test
  void whoseApplicationIsFreedMeanwhileHasNone() throws Exception {
    try (SpillStore store = SpillStore.open(slow(0).build());
        Lease lease = store.openLease(OTHER_APP)) {
      assertLeavesNothing(store, lease, () -> store.freeApplication(OTHER_APP), "has been stopped");
    }
  }

  /** It ends while its file is being made. */
  private void assertLeavesNothing(SpillStore store, Lease lease, Meanwhile end, String told)
      throws Exception {
    List<FutureTask<List<Extent>>> leasing = new ArrayList<>();
    whileItCuts(
        store,
        () -> {
          leasing.add(leaseOnDisk(lease, 3));
          end.run();
        });
    ExecutionException refused = assertThrows(ExecutionException.class, () -> leasing.get(0).get());
    assertTrue(refused.getCause().getMessage().contains(told), refused.toString());
    assertEquals(0, store.stats().disk().createdBytes());
    assertEquals(List.of(), segmentFiles());
  }

  /** Of the file system's room, too: the files are not there yet. */
  @Test
  void whatIsBeingMadeIsNotGrantedAgain() throws Exception {
    try (SpillStore store = SpillStore.open(slow(0).build());
        Lease first = store.openLease(APP);
        Lease second = store.openLease(APP)) {
      long blocks = Files.getFileStore(disk()).getUsableSpace() / BLOCK_BYTES / 3 * 2;
      List<FutureTask<List<Extent>>> leasing = new ArrayList<>();
      whileItCuts(
          store,
          () -> {
            leasing.add(leaseOnDisk(first, blocks));
            leasing.add(leaseOnDisk(second, blocks));
          });
      assertEquals(blocks * BLOCK_BYTES, bytes(leasing.get(0).get()));
      ExecutionException refused =
          assertThrows(ExecutionException.class, () -> leasing.get(1).get());
      assertTrue(refused.getCause() instanceof StoreFullException, refused.toString());
    }
  }

  /** Nobody is refused what comes back. */
  @Test
  void whoLacksRoomWaitsForWhatIsBeingMadeInVain() throws Exception {
    StoreConfig.Builder config = config(0).disk(List.of(disk()), 10L * BLOCK_BYTES, 0);
    try (SpillStore store = SpillStore.open(config.diskTimeoutMs(PATIENT_MS).build());
        Lease second = store.openLease(APP)) {
      Lease first = store.openLease(APP);
      List<FutureTask<List<Extent>>> leasing = new ArrayList<>();
      whileItCuts(
          store,
          () -> {
            leasing.add(leaseOnDisk(first, 8));
            leasing.add(begin(() -> second.lease(8 * BLOCK_BYTES)));
            first.close();
          });
      assertEquals(8 * BLOCK_BYTES, bytes(leasing.get(1).get()));
      assertThrows(ExecutionException.class, () -> leasing.get(0).get());
    }
  }

  /** And what it got of memory is there for others again. */
  @Test
  void whatADiskFailsToMakeIsNoLeaseOfMemory() throws Exception {
    try (SpillStore store = SpillStore.open(slow(1).build());
        Lease lease = store.openLease(APP);
        Lease other = store.openLease(APP)) {
      awaitMemory(store);
      Files.move(disk(), directory.resolve("away"));
      Files.createFile(disk());
      assertThrows(StoreFullException.class, () -> lease.lease(SEGMENT_BYTES + BLOCK_BYTES));
      assertEquals(0, lease.heldBytes(Tier.MEMORY));
      assertEquals(0, store.stats().disk().createdBytes());
      assertEquals(SEGMENT_BYTES, bytes(other.lease(SEGMENT_BYTES)));
      Files.delete(disk());
      Files.move(directory.resolve("away"), disk());
    }
  }

  private List<Path> segmentFiles() throws IOException {
    try (Stream<Path> files = Files.list(disk())) {
      return files.filter(file -> file.getFileName().toString().startsWith("segment-")).toList();
    }
  }

  /** Its successor finds a file that is there, or none. */
  @Test
  void whoEndsTheStoreMeanwhileWaitsForTheFiles() throws Exception {
    List<FutureTask<?>> all = new ArrayList<>();
    SpillStore store = SpillStore.open(slow(0).build());
    Lease lease = store.openLease(APP);
    whileItCuts(
        store,
        () -> {
          all.add(leaseOnDisk(lease, 3));
          all.add(
              begin(
                  () -> {
                    store.close();
                    return null;
                  }));
        });
    assertThrows(ExecutionException.class, () -> all.get(0).get());
    all.get(1).get();
    assertEquals(1, segmentFiles().size(), "what was leased and not given back");
    try (SpillStore next = SpillStore.open(slow(0).build())) {
      assertEquals(0, next.stats().disk().createdBytes());
    }
  }

  /** What several ask for at once is no more than there is, and nobody is refused what there is. */
  @Test
  void asManyAsThereIsRoomForAreGrantedAtOnce() throws Exception {
    int tasks = 16;
    int fit = 7;
    StoreConfig.Builder config = config(0).disk(List.of(disk()), (long) fit * BLOCK_BYTES, 0);
    try (SpillStore store = SpillStore.open(config.build())) {
      for (int round = 0; round < 20; round++) {
        AtomicInteger refused = new AtomicInteger();
        List<Lease> leases = new ArrayList<>();
        List<FutureTask<Void>> all = new ArrayList<>();
        for (int task = 0; task < tasks; task++) {
          Lease lease = store.openLease(APP);
          leases.add(lease);
          all.add(new FutureTask<>(() -> leaseOne(lease, refused)));
        }
        all.forEach(each -> new Thread(each, "leases one").start());
        for (FutureTask<Void> each : all) {
          each.get();
        }
        assertEquals(tasks - fit, refused.get());
        assertEquals((long) fit * BLOCK_BYTES, store.stats().disk().createdBytes());
        for (Lease lease : leases) {
          lease.close();
        }
        assertEquals(0, store.stats().disk().createdBytes());
      }
    }
  }

  private static Void leaseOne(Lease lease, AtomicInteger refused) throws IOException {
    try {
      lease.lease(BLOCK_BYTES);
    } catch (StoreFullException e) {
      refused.incrementAndGet();
    }
    return null;
  }

  /** Whatever has failed meanwhile, though the file that is being made comes to be. */
  @Test
  void whoHasTheNextTurnLooksWhetherItsDirectoryIsStillUsed() throws Exception {
    Random random = seeded("whoHasTheNextTurnLooksWhetherItsDirectoryIsStillUsed");
    try (SpillStore store = SpillStore.open(slow(0).build(), PoolSpace::open, () -> 0L);
        Lease first = store.openLease(APP);
        Lease second = store.openLease(APP);
        Lease writing = store.openLease(APP)) {
      Extent extent = writing.leaseDisk(BLOCK_BYTES).get(0);
      byte[] bytes = new byte[BLOCK_BYTES];
      random.nextBytes(bytes);
      List<FutureTask<List<Extent>>> leasing = new ArrayList<>();
      whileItCuts(
          store,
          () -> {
            leasing.add(leaseOnDisk(first, 3));
            leasing.add(leaseOnDisk(second, 3));
            Files.move(disk(), directory.resolve("away"));
            Files.createFile(disk());
            assertThrows(IOException.class, () -> writing.write(extent, 0, ByteBuffer.wrap(bytes)));
            Files.delete(disk());
            Files.move(directory.resolve("away"), disk());
          });
      assertEquals(3 * BLOCK_BYTES, bytes(leasing.get(0).get()));
      ExecutionException refused =
          assertThrows(ExecutionException.class, () -> leasing.get(1).get());
      assertTrue(refused.getCause() instanceof StoreFullException, refused.toString());
      assertEquals(1, store.stats().failedDirectories());
    }
  }

  /** However long the disk has had for that already. */
  @Test
  void whoLacksRoomWaitsForWhatIsBeingCut() throws Exception {
    long timeoutMs = 12_000;
    StoreConfig.Builder config = config(0).disk(List.of(disk()), 10L * BLOCK_BYTES, 0);
    try (SpillStore store = SpillStore.open(config.diskTimeoutMs(timeoutMs).build());
        Lease lease = store.openLease(APP)) {
      List<FutureTask<List<Extent>>> leasing = new ArrayList<>();
      whileItCuts(
          store,
          () -> {
            long sinceNs = System.nanoTime();
            while (System.nanoTime() - sinceNs < TimeUnit.MILLISECONDS.toNanos(timeoutMs / 4)) {
              Thread.onSpinWait();
            }
            leasing.add(leaseOnDisk(lease, 9));
          });
      outcome(leasing.get(0)); // it may have looked before the cut was booked
    }
  }

  /** Without a wait for those whose turn is before. */
  @Test
  void aCopyGivesWayBeforeItsTurn() throws Exception {
    Random random = seeded("aCopyGivesWayBeforeItsTurn");
    try (SpillStore store = SpillStore.open(slow(2).build());
        Lease first = store.openLease(APP);
        Lease lease = store.openLease(APP)) {
      awaitMemory(store);
      commit(lease, id(1), random, 15 * BLOCK_BYTES);
      CommittedOutput output = store.find(id(1)).orElseThrow();
      List<FutureTask<?>> begun = new ArrayList<>();
      whileItCuts(
          store,
          () -> {
            begun.add(leaseOnDisk(first, 3));
            begun.add(
                begin(
                    () -> {
                      store.copyToDisk(output);
                      return true;
                    }));
            assertTrue(store.dropCopies(BLOCK_BYTES, PATIENT_MS));
            assertEquals(5 * BLOCK_BYTES, store.stats().disk().createdBytes());
          });
      begun.get(0).get();
      assertThrows(ExecutionException.class, () -> begun.get(1).get());
    }
  }

  /** A copy gives way while its file is being made, too; its room has come back then. */
  @Test
  void aCopyGivesWayBeforeItsFileIsThere() throws Exception {
    Random random = seeded("aCopyGivesWayBeforeItsFileIsThere");
    try (SpillStore store = SpillStore.open(slow(2).build());
        Lease lease = store.openLease(APP)) {
      awaitMemory(store);
      Outputs.Content content = commit(lease, id(1), random, 15 * BLOCK_BYTES);
      CommittedOutput output = store.find(id(1)).orElseThrow();
      List<FutureTask<Boolean>> begun = new ArrayList<>();
      whileItCuts(
          store,
          () -> {
            begun.add(
                begin(
                    () -> {
                      store.copyToDisk(output);
                      return true;
                    }));
            begun.add(begin(() -> store.dropCopies(BLOCK_BYTES, PATIENT_MS)));
            assertEquals(1, store.stats().copies().dropped());
          });
      assertTrue(begun.get(1).get());
      ExecutionException refused = assertThrows(ExecutionException.class, () -> begun.get(0).get());
      assertTrue(refused.getCause() instanceof StoreFullException, refused.toString());
      assertEquals(0, store.stats().copies().outputs());
      assertEquals(List.of(), segmentFiles());
      Outputs.check(store, id(1), content);
    }
  }
}
