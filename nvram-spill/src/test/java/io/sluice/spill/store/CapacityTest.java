package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.SegmentHandle.SegmentListener;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What happens at the edges of the tiers. */
class CapacityTest extends PoolTestBase {
  private static final long DISK_TIMEOUT_MS = 5_000;

  /** For one exchange with a service, by default. */
  private static final long TASK_WAITS_MS = 30_000;

  private static final StoreConfig.SettingNames NAMES =
      new StoreConfig.SettingNames("sluice.memory", "sluice.disks", "sluice.disk.max");

  @Test
  void aFullStoreSaysWhichTiersByHowMuchAndWhatToRaise() throws Exception {
    StoreConfig config =
        config(2).disk(List.of(disk()), SEGMENT_BYTES, 0).settingNames(NAMES).build();
    try (SpillStore store = SpillStore.open(config);
        Lease lease = store.openLease(APP)) {
      lease.release(lease.lease(2L * SEGMENT_BYTES));
      String message =
          assertThrows(StoreFullException.class, () -> lease.lease(5L * SEGMENT_BYTES))
              .getMessage();
      for (String part :
          List.of(
              "lease of " + 5 * SEGMENT_BYTES,
              "short of " + 2 * SEGMENT_BYTES,
              pool().toString(),
              2 * SEGMENT_BYTES + " configured, free " + 2 * SEGMENT_BYTES,
              disk().toString(),
              "sluice.memory",
              "sluice.disks",
              "sluice.disk.max")) {
        assertTrue(message.contains(part), () -> "'" + part + "' is missing in: " + message);
      }
      assertEquals(1, store.stats().refusals());
      assertAllFree(store);
      assertEquals(3, bytes(lease.lease(3L * SEGMENT_BYTES)) / SEGMENT_BYTES);
    }
  }

  @Test
  void withoutADiskTierTheMemoryTierIsTheLimit() throws Exception {
    try (SpillStore store = SpillStore.open(config(1).build());
        Lease lease = store.openLease(APP)) {
      List<Extent> all = lease.lease(SEGMENT_BYTES);
      String message = assertThrows(StoreFullException.class, () -> lease.lease(1)).getMessage();
      assertTrue(message.contains("no disk tier"), message);
      lease.release(all);
      lease.lease(1);
    }
  }

  @Test
  void theDiskTierKeepsItsReserveFree() throws Exception {
    StoreConfig config = config(0).disk(List.of(disk()), 0, Long.MAX_VALUE / 2).build();
    try (SpillStore store = SpillStore.open(config);
        Lease lease = store.openLease(APP)) {
      assertThrows(StoreFullException.class, () -> lease.lease(1));
    }
  }

  @Test
  void overflowFilesAreCutByTheCommitAndDeletedWithTheApplication() throws Exception {
    Random random = seeded("overflowFilesAreCutByTheCommitAndDeletedWithTheApplication");
    try (SpillStore store = SpillStore.open(configWithDisk(0).build());
        Lease lease = store.openLease(APP)) {
      Outputs.Content content = commit(lease, id(1), random, 300_000);
      StoreStats stats = store.stats();
      assertTrue(stats.overflows() > 0);
      assertEquals(0, stats.disk().leasedBytes());
      assertEquals(stats.disk().createdBytes(), stats.disk().committedBytes());
      for (Extent extent : store.find(id(1)).orElseThrow().extents()) {
        assertEquals(Tier.DISK, extent.segment().tier());
        assertEquals(extent.range().endBytes(), Files.size(extent.segment().path()));
        assertEquals(
            "rw-------",
            PosixFilePermissions.toString(Files.getPosixFilePermissions(extent.segment().path())));
      }
      Outputs.check(store, id(1), content);
      store.freeApplication(APP);
      try (var files = Files.list(disk())) {
        assertEquals(
            List.of(), files.filter(f -> !f.getFileName().toString().startsWith("pool.")).toList());
      }
    }
  }

  @Test
  void outputsOnDiskKeepNoDescriptors() throws Exception {
    Random random = seeded("outputsOnDiskKeepNoDescriptors");
    try (SpillStore store = SpillStore.open(configWithDisk(0).build());
        Lease lease = store.openLease(APP)) {
      int before = OpenFiles.below(disk());
      List<Outputs.Content> contents = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        contents.add(commit(lease, id(i), random, 10_000));
      }
      assertEquals(before, OpenFiles.below(disk()));
      for (int i = 0; i < 20; i++) {
        Outputs.check(store, id(i), contents.get(i));
      }
    }
    try (SpillStore store = SpillStore.open(configWithDisk(0).recover(Set.of(APP)).build())) {
      assertEquals(20, store.stats().outputs());
      assertTrue(OpenFiles.below(disk()) < 20, "recovered ones have descriptors");
    }
  }

  @Test
  void whatIsTooLongForASegmentInOnePieceGoesToDisk() throws Exception {
    try (SpillStore store = SpillStore.open(configWithDisk(3).build());
        Lease lease = store.openLease(APP)) {
      assertEquals(Tier.DISK, lease.leaseContiguous(SEGMENT_BYTES + 1).segment().tier());
      assertEquals(Tier.MEMORY, lease.leaseContiguous(SEGMENT_BYTES).segment().tier());
    }
  }

  @Test
  void leasesTakeFewPiecesOfFragmentedMemory() throws Exception {
    try (SpillStore store = SpillStore.open(config(2).build());
        Lease lease = store.openLease(APP);
        Lease holes = store.openLease(APP)) {
      int blocks = SEGMENT_BYTES / BLOCK_BYTES;
      Extent first = holes.leaseContiguous(SEGMENT_BYTES);
      for (int block = 0; block < blocks; block += 2) {
        holes.release(
            List.of(new Extent(first.segment(), (long) block * BLOCK_BYTES, BLOCK_BYTES)));
      }
      List<Extent> whole = lease.lease(SEGMENT_BYTES);
      assertEquals(1, whole.size());
      List<Extent> crumbs = lease.lease(5 * BLOCK_BYTES);
      assertEquals(5, crumbs.size());
      assertEquals(5L * BLOCK_BYTES, bytes(crumbs));
      assertThrows(StoreFullException.class, () -> lease.leaseContiguous(2 * BLOCK_BYTES));
    }
  }

  @Test
  void aLeaseWaitsForSegmentsThatAreBeingCreated() throws Exception {
    Gate gate = new Gate();
    StoreConfig config = configWithDisk(2).segmentListener(gate).fillTimeoutMs(60_000).build();
    try (SpillStore store = SpillStore.open(config);
        Lease lease = store.openLease(APP)) {
      Thread opener = new Thread(gate.opened::countDown);
      gate.reached.await();
      opener.start();
      lease.lease(2L * SEGMENT_BYTES);
      assertEquals(0, store.stats().overflows());
      opener.join();
    }
  }

  @Test
  void aLeaseGoesToDiskWhenSegmentsTakeTooLong() throws Exception {
    Gate gate = new Gate();
    StoreConfig config = configWithDisk(2).segmentListener(gate).fillTimeoutMs(20).build();
    try (SpillStore store = SpillStore.open(config);
        Lease lease = store.openLease(APP)) {
      assertEquals(Tier.DISK, lease.lease(1).get(0).segment().tier());
      gate.opened.countDown();
    }
  }

  @Test
  void allThatALeaseWaitsForHasOneDeadline() throws Exception {
    AtomicLong clockNs = new AtomicLong(Long.MAX_VALUE - 1); // clocks overflow
    long forMemoryMs = LeaseOperations.Deadline.TIMEOUT_MS - DISK_TIMEOUT_MS;
    List<Long> timeoutsMs = new ArrayList<>();
    MemoryArbiter keeper =
        grantingAtLast(
            (last, timeoutMs) -> {
              timeoutsMs.add(timeoutMs);
              clockNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(timeoutMs));
            });
    Gate gate = new Gate();
    StoreConfig config =
        config(2)
            .disk(List.of(disk()), 0, Long.MAX_VALUE / 2) // no room
            .segmentListener(gate)
            .fillTimeoutMs(60_000)
            .diskTimeoutMs(DISK_TIMEOUT_MS)
            .memoryKeeper(keeper)
            .build();
    try (SpillStore store = SpillStore.open(config, PoolSpace::open, clockNs::get);
        Lease lease = store.openLease(APP)) {
      String message = assertThrows(StoreFullException.class, () -> lease.lease(1)).getMessage();
      gate.opened.countDown();
      assertTrue(message.contains("did not come within 0 ms"), message);
      assertEquals(List.of(forMemoryMs, 0L, DISK_TIMEOUT_MS, 0L), timeoutsMs);
    }
  }

  /** Else a task gives up its service, and all that it has written, before it has an answer. */
  @Test
  void whatALeaseWaitsForLeavesADiskTheTimeForItsAnswer() {
    assertTrue(
        LeaseOperations.Deadline.TIMEOUT_MS > DiskThread.TIMEOUT_MS, "nothing is left for memory");
    assertTrue(LeaseOperations.Deadline.TIMEOUT_MS < TASK_WAITS_MS);
  }

  private interface Asked {
    void waits(boolean last, long timeoutMs);
  }

  /** Grants nothing before it is the last resort, and all then. */
  private MemoryArbiter grantingAtLast(Asked asked) {
    return (MemoryArbiter)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {MemoryArbiter.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("ask")) {
                return method.invoke(MemoryArbiter.NONE, arguments);
              }
              boolean last = (boolean) arguments[3];
              asked.waits(last, (long) arguments[4]);
              return last ? arguments[1] : 0L;
            });
  }

  @Test
  void aSegmentThatCannotBeCreatedLimitsThePoolAndIsNamed() throws Exception {
    SegmentListener refusing =
        new SegmentListener() {
          @Override
          public void segmentAdded(SegmentHandle segment) {
            if (segment.info().segmentId() == 1) {
              throw new IllegalStateException("memlock exceeded");
            }
          }

          @Override
          public void segmentRemoved(SegmentHandle segment) {}
        };
    try (SpillStore store = SpillStore.open(config(3).segmentListener(refusing).build());
        Lease lease = store.openLease(APP)) {
      String message =
          assertThrows(StoreFullException.class, () -> lease.lease(2L * SEGMENT_BYTES))
              .getMessage();
      assertTrue(message.contains("memlock exceeded"), message);
      lease.lease(SEGMENT_BYTES);
      assertFalse(Files.exists(store.paths().path(0, 1, 0)));
    }
  }

  /** A lack of memory may keep its own name from being said; the filler must go on all the same. */
  @Test
  void aFailureThatCannotBeSaidEndsNothing() throws Exception {
    SegmentListener refusing =
        new SegmentListener() {
          @Override
          public void segmentAdded(SegmentHandle segment) {
            if (segment.info().segmentId() == 0) {
              throw new UnsayableError();
            }
          }

          @Override
          public void segmentRemoved(SegmentHandle segment) {}
        };
    try (SpillStore store = SpillStore.open(config(3).segmentListener(refusing).build());
        Lease lease = store.openLease(APP)) {
      String message =
          assertThrows(StoreFullException.class, () -> lease.lease(SEGMENT_BYTES)).getMessage();
      assertTrue(message.contains("cannot be said"), message);
    }
  }

  private static final class UnsayableError extends Error {
    private static final long serialVersionUID = 1;

    @Override
    public String toString() {
      throw new OutOfMemoryError("expected by this test");
    }
  }

  @Test
  void aSegmentThatIsNotFinishedLeavesNothing() throws Exception {
    try (PoolSpace space = PoolSpace.open(config(1).build())) {
      space.format(new PoolHeader(UUID.randomUUID(), SEGMENT_BYTES, BLOCK_BYTES));
      assertEquals(null, space.create(0, () -> true));
      assertEquals(List.of(), space.segmentIds());
    }
    try (var files = Files.list(pool())) {
      assertEquals(
          Set.of(pool().resolve("pool.lock"), pool().resolve("pool.properties")),
          Set.copyOf(files.toList()));
    }
  }

  @Test
  void aSmallTmpfsLimitsThePoolInsteadOfKillingTheProcess() throws Exception {
    Files.createDirectories(pool());
    run("mount", "-t", "tmpfs", "-o", "size=3500k,mode=700", "tmpfs", pool().toString());
    try (SpillStore store = SpillStore.open(configWithDisk(8).build());
        Lease lease = store.openLease(APP)) {
      List<Extent> all = lease.lease(5L * SEGMENT_BYTES);
      long memoryBytes =
          bytes(all.stream().filter(e -> e.segment().tier() == Tier.MEMORY).toList());
      assertEquals(3L * SEGMENT_BYTES, memoryBytes);
      assertEquals(memoryBytes, store.stats().memory().createdBytes());
      assertEquals(1, store.stats().overflows());
    } finally {
      run("umount", pool().toString());
    }
  }

  private interface Use {
    void of(SpillStore store) throws Exception;
  }

  /** A store with nothing but a disk tier on a file system that nobody else writes to. */
  private void withDiskOfItsOwn(Use use) throws Exception {
    Files.createDirectories(disk());
    run("mount", "-t", "tmpfs", "-o", "size=32m,mode=700", "tmpfs", disk().toString());
    try (SpillStore store =
        SpillStore.open(config(0).disk(List.of(disk()), 0, 2 * SEGMENT_BYTES).build())) {
      use.of(store);
    } finally {
      run("umount", disk().toString());
    }
  }

  private long roomOnDiskBytes() throws IOException {
    return Files.getFileStore(disk()).getUsableSpace() - 2 * SEGMENT_BYTES;
  }

  /** As a reducer does that stages for long: all of it is leased, and none committed. */
  @Test
  void whatIsLeasedAndWrittenTakesItsRoomOnDiskOnce() throws Exception {
    withDiskOfItsOwn(
        store -> {
          try (Lease lease = store.openLease(APP)) {
            while (roomOnDiskBytes() >= SEGMENT_BYTES) {
              for (Extent extent : lease.lease(SEGMENT_BYTES)) {
                lease.write(extent, 0, ByteBuffer.allocate((int) extent.lengthBytes()));
              }
            }
            assertThrows(StoreFullException.class, () -> lease.lease(SEGMENT_BYTES));
            assertTrue(roomOnDiskBytes() >= 0, "the reserve is not free");
          }
        });
  }

  @Test
  void whatATaskOfBeforeMayStillWriteIsNotLeasedToOthers() throws Exception {
    AtomicLong mostBytes = new AtomicLong();
    withDiskOfItsOwn(
        store -> {
          mostBytes.set(roomOnDiskBytes() / 3 * 2);
          store.openLease(APP).lease(mostBytes.get()); // its task lives on
          store.close();
          StoreConfig recovering =
              config(0).disk(List.of(disk()), 0, 2 * SEGMENT_BYTES).recover(Set.of(APP)).build();
          try (SpillStore next = SpillStore.open(recovering);
              Lease other = next.openLease("application_1_0002")) {
            assertThrows(StoreFullException.class, () -> other.lease(mostBytes.get()));
            next.freeApplication(APP);
            other.lease(mostBytes.get());
          }
        });
  }

  @Test
  void whatIsLeasedAndNotWrittenIsNotLeasedToOthers() throws Exception {
    withDiskOfItsOwn(
        store -> {
          try (Lease lease = store.openLease(APP);
              Lease other = store.openLease(APP)) {
            long mostBytes = roomOnDiskBytes() / 3 * 2;
            List<Extent> leased = lease.lease(mostBytes);
            lease.write(leased.get(0), 0, ByteBuffer.allocate(SEGMENT_BYTES));
            lease.write(leased.get(0), 2L * SEGMENT_BYTES, ByteBuffer.allocate(SEGMENT_BYTES));
            assertThrows(StoreFullException.class, () -> other.lease(mostBytes));
            lease.release(leased);
            other.lease(mostBytes);
          }
        });
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    Assumptions.assumeTrue(
        process.waitFor() == 0, () -> "'" + String.join(" ", command) + "' needs root: " + output);
  }

  @Test
  void whatCannotBeLeasedIsRefused() throws Exception {
    try (SpillStore store = SpillStore.open(configWithDisk(1).build())) {
      Lease lease = store.openLease(APP);
      assertThrows(IllegalArgumentException.class, () -> lease.lease(0));
      assertThrows(IllegalArgumentException.class, () -> lease.lease(-1));
      assertThrows(IllegalArgumentException.class, () -> lease.lease(Long.MAX_VALUE));
      assertThrows(
          IllegalArgumentException.class, () -> lease.leaseContiguous(Extent.MAX_LENGTH_BYTES + 1));
      assertThrows(IllegalArgumentException.class, () -> store.openLease("a b"));
      lease.close();
      lease.close();
      assertThrows(IOException.class, () -> lease.lease(1));
    }
  }

  @Test
  void anApplicationThatWasFreedGetsNothingMore() throws Exception {
    Random random = seeded("anApplicationThatWasFreedGetsNothingMore");
    try (SpillStore store = SpillStore.open(config(2).build());
        Lease lease = store.openLease(APP)) {
      lease.lease(BLOCK_BYTES);
      store.freeApplication(APP);
      assertThrows(IOException.class, () -> commit(lease, id(1), random, 1000));
      assertEquals(BLOCK_BYTES, store.stats().memory().leasedBytes());
    }
  }

  private static long bytes(List<Extent> extents) {
    return extents.stream().mapToLong(Extent::lengthBytes).sum();
  }

  /** Holds the filler back after its first segment. */
  private static final class Gate implements SegmentListener {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);

    @Override
    public void segmentAdded(SegmentHandle segment) {
      reached.countDown();
      try {
        if (segment.info().tier() == Tier.MEMORY && !opened.await(120, TimeUnit.SECONDS)) {
          throw new IllegalStateException("nobody opened the gate");
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void segmentRemoved(SegmentHandle segment) {}
  }
}
