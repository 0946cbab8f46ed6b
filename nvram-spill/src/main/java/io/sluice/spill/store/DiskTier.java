package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.disk.DeviceStats;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentName;
import io.sluice.spill.segment.Tier;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The overflow files: one per lease request, cut when its tail is given back, deleted when all of
 * it is. Unlike the {@link MemoryTier} it reuses no file and no id: a task may still have the
 * former file open. {@link DiskFiles} makes the files, {@link DiskShares} counts what each user
 * holds.
 *
 * <p>Thread contract: guarded by the lock of the store, which also closes it; what says so is
 * called under none. Failure: where a file cannot be made or cut, its directory is left out, see
 * {@link DiskDirectories}.
 */
final class DiskTier {
  /** How many ids there are. */
  private static final long IDS = Integer.MAX_VALUE - SegmentInfo.DISK_ID_BASE + 1L;

  private final StoreConfig config;
  private final UUID poolId;
  private final DiskDirectories directories;
  private final GenerationCounter generations;
  private final HeapShares heap;
  private final DiskShares shares;
  private final DiskFiles diskFiles;
  private final SortedMap<Integer, DiskSegment> segments = new TreeMap<>();
  private final BlockSet used;
  private final ReservedDiskBytes promised;
  private final Map<Integer, Long> lengths =
      new HashMap<>(); // of the files, as createdBytes has them
  private final List<Reservation> reserved = new ArrayList<>();
  private long createdBytes; // and reserved

  /**
   * A tier without files.
   *
   * @param poolId names files too: those of the pool before this one were called otherwise
   * @param own this process's user
   * @param generations names new files, so that no two in the life of a pool have the same id
   * @param heap counts the files by whose they are
   */
  DiskTier(
      StoreConfig config,
      UUID poolId,
      Owner own,
      DiskDirectories directories,
      GenerationCounter generations,
      HeapShares heap) {
    this.config = config;
    this.poolId = poolId;
    this.directories = directories;
    this.generations = generations;
    this.heap = heap;
    this.shares = new DiskShares(config);
    this.used = new BlockSet(config.blockBytes());
    this.promised = new ReservedDiskBytes(config.blockBytes(), segments::get);
    this.diskFiles = new DiskFiles(config, own, promised::wrote);
  }

  /** Opens a file that a former store left; all its blocks count as used. */
  void open(Path path) {
    try {
      SegmentName name = SegmentName.parse(path).orElseThrow();
      Optional<Owner> owner = name.owner();
      if (owner.isPresent()) { // this tier makes no other
        openFile(path, name.segmentId(), owner.get());
      }
    } catch (IOException e) {
      directories.failed(path.getParent(), e);
      directories.leaveBehind(path.getParent());
    }
  }

  private void openFile(Path path, int segmentId, Owner owner) throws IOException {
    if (segments.containsKey(segmentId)) {
      throw new IOException(
          path + " has the id of " + segments.get(segmentId).info().path() + ": it is a copy");
    }
    long lengthBytes = Files.size(path) / config.blockBytes() * config.blockBytes();
    if (lengthBytes == 0) {
      Files.delete(path);
      return;
    }
    SegmentInfo info = new SegmentInfo(segmentId, Tier.DISK, path, lengthBytes);
    DiskThreads threads = directories.threads(path.getParent());
    add(diskFiles.open(info, owner, threads));
  }

  private void add(DiskSegment segment) {
    segments.put(segment.info().segmentId(), segment);
    heap.addFile(segment.owner());
    used.add(segment.range());
    shares.add(segment.owner(), segment.range().lengthBytes());
    hasLength(segment.info().segmentId(), segment.lengthBytes());
  }

  private void hasLength(int segmentId, long lengthBytes) {
    Long former =
        lengthBytes == 0 ? lengths.remove(segmentId) : lengths.put(segmentId, lengthBytes);
    createdBytes += lengthBytes - (former == null ? 0 : former);
  }

  /**
   * Bytes that are leased and not written yet. Leases and the quarantine tell it their blocks: a
   * task of before a restart may still write all that it was granted.
   */
  ReservedDiskBytes promised() {
    return promised;
  }

  Collection<DiskSegment> segments() {
    return Collections.unmodifiableCollection(segments.values());
  }

  DiskSegment segment(int segmentId) {
    return segments.get(segmentId);
  }

  /** Whether the directory of a file is used now. */
  boolean mayWork(Range range) {
    return mayWork(segments.get(range.segmentId()).info().path().getParent());
  }

  /** Whether that one is used now. */
  boolean mayWork(Path directory) {
    return directories.mayWork(directory);
  }

  /**
   * The directory with most room, and how much of it may be leased; empty if none works now.
   *
   * @param tried directories that are not asked
   */
  Optional<DiskDirectories.Room> roomiest(Set<Path> tried) {
    return directories
        .roomiest(tried, promisedBytes(), config.diskReserve())
        .map(
            room ->
                new DiskDirectories.Room(
                    room.path(), allowedBytes(room.usableBytes()), allowedBytes(room.allBytes())));
  }

  /** By directory: in files, and reserved for those that are being made. */
  private Map<Path, Long> promisedBytes() {
    if (reserved.isEmpty()) {
      return promised.byDirectory();
    }
    Map<Path, Long> all = new HashMap<>(promised.byDirectory());
    reserved.forEach(each -> all.merge(each.directory, each.lengthBytes, Long::sum));
    return all;
  }

  private long allowedBytes(long usableBytes) {
    long configuredBytes =
        config.diskCapacityBytes() == 0
            ? Long.MAX_VALUE
            : config.diskCapacityBytes() - createdBytes();
    return Math.max(0, Math.min(usableBytes, configuredBytes));
  }

  /** How much of the tier each user holds and may have. */
  DiskShares shares() {
    return shares;
  }

  /** Room that is leased for files which are being made. */
  static final class Reservation {
    private final Path directory;
    private final Owner owner;
    private final String applicationId;
    private final long lengthBytes;
    private final DiskThreads threads;
    private final List<SegmentInfo> files = new ArrayList<>();
    private long failures; // of its directory when its turn came

    private Reservation(
        Path directory, Owner owner, String applicationId, long lengthBytes, DiskThreads threads) {
      this.directory = directory;
      this.owner = owner;
      this.applicationId = applicationId;
      this.lengthBytes = lengthBytes;
      this.threads = threads;
    }

    /** Where they are made. */
    Path directory() {
      return directory;
    }

    /** Is held by the lease whose files are made there. */
    ReentrantLock turn() {
      return threads.turn();
    }
  }

  /** Leases room for files of {@code lengthBytes} in sum, for an owner's application. */
  Reservation reserve(Path directory, Owner owner, String applicationId, long lengthBytes)
      throws IOException {
    Reservation reservation =
        new Reservation(
            directory, owner, applicationId, lengthBytes, directories.threads(directory));
    for (long leftBytes = lengthBytes; leftBytes > 0; ) {
      long fileBytes = Math.min(leftBytes, Extent.MAX_LENGTH_BYTES);
      reservation.files.add(newFile(directory, owner, fileBytes));
      leftBytes -= fileBytes;
    }
    shares.add(owner, lengthBytes); // before: it needs heap
    reserved.add(reservation);
    createdBytes += lengthBytes;
    return reservation;
  }

  private SegmentInfo newFile(Path directory, Owner owner, long lengthBytes) throws IOException {
    int segmentId = newId();
    Path path = directory.resolve(SegmentName.of(poolId, segmentId, 0, owner).toString());
    return new SegmentInfo(segmentId, Tier.DISK, path, lengthBytes);
  }

  /** Its turn has come; returns whether its directory is still used. */
  boolean begin(Reservation reservation) {
    reservation.failures = directories.failures(reservation.directory);
    return directories.mayWork(reservation.directory);
  }

  /**
   * Makes the files, all or none of them, under no lock.
   *
   * @param patiently with all of the deadline for each, whatever else hangs
   * @param wanted throws if no more is wanted; asked before each file
   */
  List<DiskSegment> make(Reservation reservation, boolean patiently, DiskThread.Action wanted)
      throws IOException {
    DiskThread thread = reservation.threads.files();
    List<DiskSegment> made = new ArrayList<>();
    try {
      for (SegmentInfo file : reservation.files) {
        wanted.run();
        made.add(
            patiently
                ? thread.callPatiently(() -> create(file, reservation), DiskFiles::deleteLate)
                : thread.call(() -> create(file, reservation), DiskFiles::deleteLate));
      }
      return made;
    } catch (IOException | RuntimeException | Error e) {
      made.forEach(segment -> Closer.after(e, segment::deleteSometime));
      throw e;
    }
  }

  private DiskSegment create(SegmentInfo file, Reservation reservation) throws IOException {
    return diskFiles.create(
        file, reservation.owner, reservation.applicationId, reservation.threads);
  }

  /** Of directories that are used now. */
  List<DiskThread> fileThreads() {
    return directories.working().stream().map(DiskThreads::files).toList();
  }

  /** The files are there: they are leased from here on. */
  List<Extent> made(Reservation reservation, List<DiskSegment> files) {
    notMade(reservation);
    directories.worked(reservation.directory, reservation.failures);
    files.forEach(this::add);
    return files.stream().map(file -> file.extent(file.range())).toList();
  }

  /** Nothing is leased for it any more. */
  void notMade(Reservation reservation) {
    if (reserved.remove(reservation)) {
      createdBytes -= reservation.lengthBytes;
      shares.remove(reservation.owner, reservation.lengthBytes);
    }
  }

  /** A file could not be made, so that its directory is left out now. */
  void failed(Reservation reservation, IOException cause) {
    directories.failed(reservation.directory, cause);
  }

  /** Gives back blocks, and with the last ones the file, which is no longer known here then. */
  void free(Range range, DeferredRelease givenBack) {
    used.remove(range);
    DiskSegment segment = segments.get(range.segmentId());
    shares.remove(segment.owner(), range.lengthBytes());
    long endBytes = used.endBytesOf(range.segmentId());
    if (endBytes == 0) {
      segments.remove(range.segmentId());
      heap.removeFile(segment.owner());
      hasLength(range.segmentId(), 0);
      givenBack.retire(segment);
    } else if (endBytes < segment.lengthBytes()) {
      givenBack.cut(segment, endBytes);
    }
  }

  /** A file was cut to that length. */
  void wasCut(DiskSegment segment, long lengthBytes) {
    int segmentId = segment.info().segmentId();
    if (segments.get(segmentId) == segment) { // else it is gone
      hasLength(segmentId, Math.min(lengthBytes, lengths.get(segmentId)));
    }
  }

  /** A file could not be cut; the room of its end comes back when it is deleted. */
  void wasNotCut(DiskSegment segment, IOException cause) {
    if (segments.get(segment.info().segmentId()) == segment) {
      failed(segment, cause);
    }
  }

  /** A file could not be cut or deleted. */
  void failed(SegmentHandle segment, IOException cause) {
    directories.failed(segment.info().path().getParent(), cause);
  }

  /**
   * A file could not be read, or a mark in it not cleared, so that what it says is not true any
   * more: its directory is left behind.
   *
   * @return whether that is new, so that a new epoch must begin before anything of it is reused
   */
  boolean disown(SegmentHandle segment, IOException cause) {
    failed(segment, cause);
    return directories.leaveBehind(segment.info().path().getParent());
  }

  /** A moment of each device that it has used. */
  List<DeviceStats> deviceStats() {
    return diskFiles.deviceStats();
  }

  /** Length of the files, and of those being made; what could not be cut counts until it goes. */
  long createdBytes() {
    return createdBytes;
  }

  void close() throws IOException {
    List<Closeable> all = new ArrayList<>(segments.values());
    all.add(diskFiles);
    Closer.all(all);
    segments.clear();
  }

  private int newId() throws IOException {
    int segmentId;
    do {
      segmentId = (int) (SegmentInfo.DISK_ID_BASE + generations.next() % IDS);
    } while (segments.containsKey(segmentId));
    return segmentId;
  }
}
