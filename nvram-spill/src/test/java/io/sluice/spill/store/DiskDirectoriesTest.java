package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.segment.SegmentName;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.StoreConfig.DiskReserve;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Overflow directories fail at the start or later; one that works is enough. */
class DiskDirectoriesTest extends PoolTestBase {
  private static final long TIMEOUT_MS = 60_000;
  private static final DiskReserve NO_RESERVE = DiskReserve.of(0);

  private Path first() {
    return directory.resolve("disk1");
  }

  /** Both are on one file system, so that either may be asked when it has a little more room. */
  private Path other(Path used) {
    return used.equals(first()) ? second() : first();
  }

  private Path second() {
    return directory.resolve("disk2");
  }

  /** A pool without memory, so that everything goes to the first directory that works. */
  private StoreConfig.Builder twoDisks() {
    return config(0).disk(List.of(first(), second()), 0, 0);
  }

  private DiskDirectories disks(AtomicLong nowNs) {
    return new DiskDirectories(List.of(first()), PoolVisibility.ANNOUNCED, nowNs::get, TIMEOUT_MS);
  }

  /** Puts a file in the place of a directory: nothing in it can be made, opened or deleted. */
  private static void breakDown(Path path) throws IOException {
    if (Files.exists(path)) {
      Files.move(path, away(path));
    }
    Files.createFile(path);
  }

  private static void repair(Path path) throws IOException {
    Files.delete(path);
    Files.move(away(path), path);
  }

  private static Path away(Path path) {
    return path.resolveSibling(path.getFileName() + "-away");
  }

  /** Puts in the place of a file what can neither be read nor deleted. */
  private static void hide(Path file) throws IOException {
    Files.move(file, kept(file));
    Files.createFile(Files.createDirectory(file).resolve("in the way"));
  }

  private static void unhide(Path file) throws IOException {
    Files.delete(file.resolve("in the way"));
    Files.delete(file);
    Files.move(kept(file), file);
  }

  private static Path kept(Path file) {
    return file.getParent().resolveSibling("kept");
  }

  private static Path directoryOf(Extent extent) {
    return extent.segment().path().getParent();
  }

  /** Each of two subvolumes says that all of their pool is free. */
  @Test
  void volumesOfAPoolHaveTheirRoomInCommon() {
    String btrfs = DirectorySpace.fileSystem("btrfs", "/dev/sda1", 5);
    assertEquals(btrfs, DirectorySpace.fileSystem("btrfs", "/dev/sda1", 6));
    assertNotEquals(btrfs, DirectorySpace.fileSystem("btrfs", "/dev/sdb1", 6));
    String zfs = DirectorySpace.fileSystem("zfs", "tank", 5);
    assertEquals(zfs, DirectorySpace.fileSystem("zfs", "tank/yarn/data", 6));
    assertNotEquals(zfs, DirectorySpace.fileSystem("zfs", "tank2/yarn/data", 6));
    String ext4 = DirectorySpace.fileSystem("ext4", "/dev/sda1", 5);
    assertEquals(ext4, DirectorySpace.fileSystem("ext4", "/dev/sda1", 5));
    assertNotEquals(ext4, DirectorySpace.fileSystem("ext4", "/dev/sdb1", 6));
  }

  @Test
  void theRoomOfManyLargeOnesDoesNotOverflow() {
    long mostBytes = DiskDirectories.sumBytes(Collections.nCopies(3, Long.MAX_VALUE / 4));
    assertTrue(mostBytes > 0 && mostBytes + mostBytes > 0, Long.toString(mostBytes));
    assertEquals(3, DiskDirectories.sumBytes(List.of(1L, 2L)));
  }

  @Test
  void oneThatIsBadAtTheStartIsLeftOut() throws Exception {
    breakDown(first());
    try (SpillStore store = SpillStore.open(twoDisks().build());
        Lease lease = store.openLease(APP)) {
      assertEquals(1, store.stats().failedDirectories());
      assertEquals(second(), directoryOf(lease.lease(BLOCK_BYTES).get(0)));
    }
  }

  @Test
  void noneThatWorksIsAnErrorThatNamesThemAll() throws Exception {
    breakDown(first());
    breakDown(second());
    StoreConfig config = twoDisks().build();
    String message = assertThrows(IOException.class, () -> SpillStore.open(config)).getMessage();
    assertTrue(message.contains(first().toString()), message);
    assertTrue(message.contains(second().toString()), message);
    assertTrue(message.contains("diskDirectories"), message);
  }

  @Test
  void aPrivatePoolDoesWithoutAny() throws Exception {
    breakDown(first());
    breakDown(second());
    try (SpillStore store = SpillStore.open(twoDisks().use(PoolVisibility.PRIVATE).build());
        Lease lease = store.openLease(APP)) {
      assertEquals(2, store.stats().failedDirectories());
      String message =
          assertThrows(StoreFullException.class, () -> lease.lease(BLOCK_BYTES)).getMessage();
      assertTrue(message.contains("left out " + second()), message);
    }
  }

  /** A task would not open what lies there. */
  @Test
  void onlyAPrivatePoolUsesOneThatAnybodyCanReplace() throws Exception {
    Path open = Files.createDirectory(directory.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    StoreConfig.Builder config = config(0).disk(List.of(open.resolve("disk")), 0, 0);
    StoreConfig announced = config.build();
    String message = assertThrows(IOException.class, () -> SpillStore.open(announced)).getMessage();
    assertTrue(message.contains("any user can put another"), message);
    try (SpillStore store = SpillStore.open(config.use(PoolVisibility.PRIVATE).build());
        Lease lease = store.openLease(APP)) {
      assertEquals(open.resolve("disk"), directoryOf(lease.lease(BLOCK_BYTES).get(0)));
    }
  }

  @Test
  void oneThatFailsLaterIsLeftOutAndCounted() throws Exception {
    Random random = seeded("oneThatFailsLaterIsLeftOutAndCounted");
    try (SpillStore store = SpillStore.open(twoDisks().build());
        Lease lease = store.openLease(APP)) {
      assertEquals(0, store.stats().failedDirectories());
      breakDown(first());
      do { // the other is asked while it has a little more room
        lease.lease(BLOCK_BYTES);
      } while (store.stats().failedDirectories() == 0);
      Outputs.Content content = commit(lease, id(1), random, 300_000);
      assertEquals(1, store.stats().failedDirectories());
      Outputs.check(store, id(1), content);
      Extent extent = store.find(id(1)).orElseThrow().extents().get(0);
      assertEquals(second(), directoryOf(extent));
      store.freeApplication(APP);
      repair(first());
    }
  }

  @Test
  void oneThatIsRemovedLaterIsLeftOut() throws Exception {
    try (SpillStore store = SpillStore.open(twoDisks().build());
        Lease lease = store.openLease(APP)) {
      try (Stream<Path> files = Files.list(first())) { // the lock, and who holds it
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(first());
      assertEquals(second(), directoryOf(lease.lease(BLOCK_BYTES).get(0)));
      assertEquals(1, store.stats().failedDirectories());
    }
  }

  @Test
  void theLastOneThatFailsMakesTheTierFullAndIsNamed() throws Exception {
    try (SpillStore store = SpillStore.open(configWithDisk(0).build());
        Lease lease = store.openLease(APP)) {
      breakDown(disk());
      String message =
          assertThrows(StoreFullException.class, () -> lease.lease(BLOCK_BYTES)).getMessage();
      assertTrue(message.contains("left out " + disk()), message);
      assertEquals(1, store.stats().failedDirectories());
      repair(disk());
    }
  }

  @Test
  void whatCannotBeDeletedStandsInNobodysWayAndGoesLater() throws Exception {
    Random random = seeded("whatCannotBeDeletedStandsInNobodysWayAndGoesLater");
    Path broken;
    try (SpillStore store = SpillStore.open(twoDisks().build());
        Lease lease = store.openLease(APP)) {
      commit(lease, id(1), random, 300_000);
      List<Extent> unused = lease.lease(BLOCK_BYTES);
      broken = directoryOf(unused.get(0));
      breakDown(broken);
      lease.release(unused);
      store.freeApplication(APP);
      assertEquals(1, store.stats().failedDirectories());
      assertEquals(0, store.stats().disk().createdBytes());
      repair(broken);
      try (var files = Files.list(broken)) {
        assertTrue(files.count() > 1);
      }
    }
    try (var files = Files.list(broken)) {
      assertEquals(
          Set.of(broken.resolve("pool.lock"), broken.resolve("pool.epoch")),
          Set.copyOf(files.toList()));
    }
  }

  @Test
  void oneThatFollowedThePoolHasWhatItHad() throws Exception {
    Random random = seeded("oneThatFollowedThePoolHasWhatItHad");
    Outputs.Content content;
    try (SpillStore store = SpillStore.open(twoDisks().build())) {
      content = commit(store.openLease(APP), id(1), random, 300_000);
    }
    for (int start = 0; start < 3; start++) {
      try (SpillStore store = SpillStore.open(twoDisks().recover(Set.of()).build())) {
        Outputs.check(store, id(1), content);
      }
    }
  }

  @Test
  void oneThatMissedAStartIsEmptied() throws Exception {
    Random random = seeded("oneThatMissedAStartIsEmptied");
    Path missing;
    Outputs.Content late;
    try (SpillStore store = SpillStore.open(twoDisks().build())) {
      commit(store.openLease(APP), id(1), random, 300_000);
      missing = directoryOf(store.find(id(1)).orElseThrow().extents().get(0));
    }
    breakDown(missing);
    try (SpillStore store = SpillStore.open(twoDisks().recover(Set.of()).build())) {
      assertTrue(store.find(id(1)).isEmpty());
      late = commit(store.openLease(APP), id(2), random, 300_000);
    }
    repair(missing);
    try (SpillStore store = SpillStore.open(twoDisks().recover(Set.of()).build())) {
      assertEquals(0, store.stats().failedDirectories());
      assertTrue(store.find(id(1)).isEmpty());
      Outputs.check(store, id(2), late);
      store.segments().forEach(each -> assertEquals(other(missing), each.path().getParent()));
    }
  }

  /** Memory for one segment, and what has no room there in either directory. */
  private StoreConfig.Builder memoryAndTwoDisks() {
    return config(1).disk(List.of(first(), second()), 0, 0);
  }

  /** Commits an output in memory alone. */
  private Outputs.Content commitInMemory(SpillStore store, Random random) throws IOException {
    Outputs.Content content;
    try (Lease lease = store.openLease(APP)) {
      content = commit(lease, id(2), random, 300_000);
    }
    for (Extent extent : store.find(id(2)).orElseThrow().extents()) {
      assertEquals(Tier.MEMORY, extent.segment().tier());
    }
    return content;
  }

  private void assertOnlyTheLaterOneIsThere(Outputs.Content later) throws IOException {
    try (SpillStore store = SpillStore.open(memoryAndTwoDisks().recover(Set.of()).build())) {
      Outputs.check(store, id(2), later);
      assertTrue(store.find(id(1)).isEmpty());
    }
  }

  @Test
  void oneThatIsBackTakesNoBlocksFromWhoHasThemNow() throws Exception {
    Random random = seeded("oneThatIsBackTakesNoBlocksFromWhoHasThemNow");
    Path disk;
    try (SpillStore store = SpillStore.open(memoryAndTwoDisks().build())) {
      disk = straddle(store, random).info().path().getParent();
    }
    breakDown(disk);
    Outputs.Content later;
    try (SpillStore store = SpillStore.open(memoryAndTwoDisks().recover(Set.of()).build())) {
      later = commitInMemory(store, random);
    }
    repair(disk);
    assertOnlyTheLaterOneIsThere(later);
  }

  @Test
  void aFileThatCannotBeReadAtOneStartTakesNoBlocksAtTheNext() throws Exception {
    Random random = seeded("aFileThatCannotBeReadAtOneStartTakesNoBlocksAtTheNext");
    Path file;
    try (SpillStore store = SpillStore.open(memoryAndTwoDisks().build())) {
      file = straddle(store, random).info().path();
    }
    hide(file);
    Outputs.Content later;
    try (SpillStore store = SpillStore.open(memoryAndTwoDisks().recover(Set.of()).build())) {
      assertEquals(1, store.stats().failedDirectories());
      later = commitInMemory(store, random);
    }
    unhide(file);
    assertOnlyTheLaterOneIsThere(later);
  }

  @Test
  void aMarkThatCannotBeClearedTakesNoBlocksAtTheNextStart() throws Exception {
    Random random = seeded("aMarkThatCannotBeClearedTakesNoBlocksAtTheNextStart");
    Outputs.Content later;
    Path file;
    try (SpillStore store = SpillStore.open(memoryAndTwoDisks().build())) {
      SegmentHandle tail = straddle(store, random);
      file = tail.info().path();
      hide(file);
      tail.close(); // as with an error of the disk: neither written to nor deleted
      store.freeApplication(APP);
      later = commitInMemory(store, random);
    }
    unhide(file);
    assertOnlyTheLaterOneIsThere(later);
  }

  @Test
  void aFileOfTheSameIdFromAFormerPoolIsDeleted() throws Exception {
    Random random = seeded("aFileOfTheSameIdFromAFormerPoolIsDeleted");
    Path stale;
    try (SpillStore store = SpillStore.open(twoDisks().build())) {
      commit(store.openLease(APP), id(1), random, 300_000);
      stale = store.find(id(1)).orElseThrow().extents().get(0).segment().path();
    }
    breakDown(stale.getParent());
    Outputs.Content content;
    Path file;
    try (SpillStore store = SpillStore.open(twoDisks().build())) {
      content = commit(store.openLease(APP), id(2), random, 300_000);
      file = store.find(id(2)).orElseThrow().extents().get(0).segment().path();
      assertEquals(other(stale.getParent()), file.getParent());
      assertEquals(idOf(stale), idOf(file));
    }
    repair(stale.getParent());
    assertTrue(Files.exists(stale));
    try (SpillStore store = SpillStore.open(twoDisks().recover(Set.of()).build())) {
      Outputs.check(store, id(2), content);
      assertFalse(Files.exists(stale));
    }
  }

  /** An error while the second is locked, here of a path that is none. */
  @Test
  void whatIsLockedIsUnlockedWhereTheStartFails() throws Exception {
    List<Path> paths = Arrays.asList(first(), null);
    assertThrows(
        NullPointerException.class,
        () -> new DiskDirectories(paths, PoolVisibility.ANNOUNCED, System::nanoTime, TIMEOUT_MS));
    try (DiskDirectories directories = disks(new AtomicLong())) {
      assertEquals(0, directories.failedCount(), directories.reasons());
    }
  }

  @Test
  void oneThatFailedIsTriedAgainLater() throws Exception {
    AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 1); // clocks overflow
    try (DiskDirectories directories = disks(nowNs)) {
      directories.failed(first(), new IOException("no room"));
      assertTrue(directories.roomiest(Set.of(), Map.of(), NO_RESERVE).isEmpty());
      assertTrue(directories.reasons().contains("no room"));
      nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(DiskDirectories.RETRY_PAUSE_MS));
      assertEquals(
          first(), directories.roomiest(Set.of(), Map.of(), NO_RESERVE).orElseThrow().path());
      assertTrue(
          directories.roomiest(Set.of(first()), Map.of(), NO_RESERVE).isEmpty(),
          "it was tried already");
      assertEquals(1, directories.failedCount());
      long failures = directories.failures(first());
      directories.failed(first(), new IOException("no room"));
      directories.worked(first(), failures);
      assertEquals(1, directories.failedCount(), "it has failed since");
      directories.worked(first(), directories.failures(first()));
      assertEquals(0, directories.failedCount());
      assertEquals("", directories.reasons());
    }
  }

  /** However large a file system is: here as much as it has is kept, or a share that is all. */
  @Test
  void aShareOfEachFileSystemIsKeptFree() throws Exception {
    try (DiskDirectories directories = disks(new AtomicLong())) {
      DiskDirectories.Room all = directories.roomiest(Set.of(), Map.of(), NO_RESERVE).orElseThrow();
      assertTrue(all.usableBytes() > 0, all.toString());
      DiskDirectories.Room none =
          directories.roomiest(Set.of(), Map.of(), new DiskReserve(0, 0, 1)).orElseThrow();
      assertEquals(0, none.usableBytes());
    }
    StoreConfig.Builder full = config(0).disk(List.of(first()), 0, new DiskReserve(0, 0, 1));
    try (SpillStore store = SpillStore.open(full.build());
        Lease lease = store.openLease(APP)) {
      StoreFullException e =
          assertThrows(StoreFullException.class, () -> commit(lease, id(1), new Random(1), 1_000));
      assertTrue(e.getMessage().contains("1.0 of the disk kept free"), e.getMessage());
    }
  }

  /** Else many tasks at work on one disk are refused what another has room for. */
  @Test
  void whatIsPromisedOnOneFileSystemIsNotTakenOffAnother() throws Exception {
    Path elsewhere = Files.createTempDirectory(Path.of("/dev/shm"), "sluice-disk");
    try {
      Assumptions.assumeFalse(
          Files.getAttribute(elsewhere, "unix:dev")
              .equals(Files.getAttribute(directory, "unix:dev")),
          "there is no second file system to try it with");
      List<Path> paths = List.of(first(), second(), elsewhere);
      try (DiskDirectories directories =
          new DiskDirectories(paths, PoolVisibility.ANNOUNCED, () -> 0, TIMEOUT_MS)) {
        Map<Path, Long> promised = Map.of(first(), Long.MAX_VALUE / 2);
        DiskDirectories.Room room =
            directories.roomiest(Set.of(), promised, NO_RESERVE).orElseThrow();
        assertEquals(elsewhere, room.path());
        assertTrue(room.usableBytes() > 0, room.toString());
        room = directories.roomiest(Set.of(first(), elsewhere), promised, NO_RESERVE).orElseThrow();
        assertEquals(second(), room.path());
        assertEquals(0, room.usableBytes(), "the first lies on the same: " + room);
      }
    } finally {
      for (File file : elsewhere.toFile().listFiles()) {
        Files.delete(file.toPath());
      }
      Files.delete(elsewhere);
    }
  }

  /** As when a disk is mounted late, over the directory that was used in its place. */
  @Test
  void whatComesToLieOverADirectoryDoesNotFollowInItsPlace() throws Exception {
    UUID pool = UUID.randomUUID();
    try (DiskDirectories former = disks(new AtomicLong())) {
      assertTrue(former.keepUp(new DiskEpoch(pool, 1, 0), true));
    }
    Path late = directory.resolve("late");
    Files.move(first(), late);
    Path covered = directory.resolve("covered");
    try (DiskDirectories directories = disks(new AtomicLong())) {
      assertTrue(directories.keepUp(new DiskEpoch(pool, 2, 0), true));
      Files.move(first(), covered);
      Files.move(late, first());
      assertTrue(directories.keepUp(new DiskEpoch(pool, 3, 0), true));
    }
    assertEquals(1, DiskEpoch.read(first()).orElseThrow().epoch());
    assertEquals(3, DiskEpoch.read(covered).orElseThrow().epoch());
  }

  private static int idOf(Path segment) {
    return SegmentName.parse(segment).orElseThrow().segmentId();
  }
}
