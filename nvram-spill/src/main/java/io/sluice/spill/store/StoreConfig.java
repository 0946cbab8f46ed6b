package io.sluice.spill.store;

import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.store.SegmentHandle.SegmentListener;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * How a store is opened; filled through {@link Builder}, then fixed.
 *
 * @param directory the pool directory, created if absent, or a device-DAX device; nothing else may
 *     use it
 * @param use which users open the files in it and in the directories of the disk tier
 * @param memoryCapacityBytes most bytes of segments in it
 * @param wholeAtStart whether all segments are made at the start, instead of as they are needed
 * @param shared whether several owners get leases: then a segment has no owner before its first
 *     lease
 * @param segmentBytes length of a segment; each is registered, mapped and faulted in once
 * @param blockBytes unit of leases, a multiple of 4096 that divides {@code segmentBytes}
 * @param diskDirectories directories of the disk tier, none for no such tier
 * @param diskCapacityBytes most bytes of the disk tier, 0 for no limit
 * @param diskReserve what the disk tier leaves free on its file systems
 * @param heapBytes most that outputs and files of the disk tier may take of this process's heap
 * @param diskTimeoutMs time limit of one request to a directory of the disk tier
 * @param backgroundCopy whether outputs are copied to the disk tier while nobody waits for it
 * @param medium how bytes reach the memory tier
 * @param recover whether to find the outputs that lie in the pool already
 * @param runningApplications on recovery, the applications whose tasks may still be writing
 * @param applicationOwners on recovery, the user of an application, if that is known
 * @param formerLeases on recovery, knows which tasks may still be writing
 * @param fillTimeoutMs how long a lease waits for segments that are being made
 * @param segmentListener is told of segments
 * @param memoryKeeper grants the bytes of the memory tier
 * @param settingNames names of the settings, for messages
 */
public record StoreConfig(
    Path directory,
    PoolVisibility use,
    long memoryCapacityBytes,
    boolean wholeAtStart,
    boolean shared,
    int segmentBytes,
    int blockBytes,
    List<Path> diskDirectories,
    long diskCapacityBytes,
    DiskReserve diskReserve,
    long heapBytes,
    long diskTimeoutMs,
    boolean backgroundCopy,
    Medium medium,
    boolean recover,
    Set<String> runningApplications,
    Function<String, Optional<Owner>> applicationOwners,
    RecoveredLeases formerLeases,
    long fillTimeoutMs,
    SegmentListener segmentListener,
    MemoryArbiter memoryKeeper,
    SettingNames settingNames) {

  /** Default segment length. */
  public static final int DEFAULT_SEGMENT_BYTES = 64 << 20;

  /** Default block length. */
  public static final int DEFAULT_BLOCK_BYTES = 64 << 10;

  /** Default of the space that the disk tier leaves free. */
  public static final DiskReserve DEFAULT_DISK_RESERVE = DiskReserve.of(1L << 30);

  /** Outputs and files of the disk tier take a third of the heap at most. */
  private static final int HEAP_SHARES = 3;

  private static final int PAGE_BYTES = 4096;

  /**
   * Names of the settings, as the user sets them.
   *
   * @param memoryCapacity name of the setting for {@link StoreConfig#memoryCapacityBytes}
   * @param diskDirectories name of the setting for {@link StoreConfig#diskDirectories}
   * @param diskCapacity name of the setting for {@link StoreConfig#diskCapacityBytes}
   */
  public record SettingNames(String memoryCapacity, String diskDirectories, String diskCapacity) {}

  public StoreConfig {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(use, "use");
    Objects.requireNonNull(diskReserve, "diskReserve");
    Objects.requireNonNull(medium, "medium");
    Objects.requireNonNull(applicationOwners, "applicationOwners");
    Objects.requireNonNull(formerLeases, "formerLeases");
    Objects.requireNonNull(segmentListener, "segmentListener");
    Objects.requireNonNull(memoryKeeper, "memoryKeeper");
    Objects.requireNonNull(settingNames, "settingNames");
    diskDirectories = List.copyOf(diskDirectories);
    runningApplications = Set.copyOf(runningApplications);
    check(
        blockBytes >= PAGE_BYTES && blockBytes % PAGE_BYTES == 0,
        "the block size must be a multiple of " + PAGE_BYTES + ", it is " + blockBytes);
    check(
        segmentBytes >= blockBytes
            && segmentBytes % blockBytes == 0
            && segmentBytes <= Extent.MAX_LENGTH_BYTES,
        "the segment size must be a multiple of the block size "
            + blockBytes
            + " up to "
            + Extent.MAX_LENGTH_BYTES
            + ", it is "
            + segmentBytes);
    check(
        memoryCapacityBytes >= 0 && memoryCapacityBytes / segmentBytes <= Integer.MAX_VALUE / 2,
        "the memory capacity cannot be " + memoryCapacityBytes);
    check(diskCapacityBytes >= 0, "the disk capacity cannot be " + diskCapacityBytes);
    check(diskTimeoutMs > 0, "the disk timeout cannot be " + diskTimeoutMs);
    check(fillTimeoutMs >= 0, "the fill timeout cannot be " + fillTimeoutMs);
  }

  /** Whether outputs have copies on disk. */
  public boolean copiesOutputs() {
    return backgroundCopy && !diskDirectories.isEmpty();
  }

  private static void check(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /** A builder that has a default for everything else. */
  public static Builder builder(Path directory, long memoryCapacityBytes) {
    return new Builder(directory, memoryCapacityBytes);
  }

  /** Collects the settings of a store. Thread contract: one thread. */
  public static final class Builder {
    private final Path directory;
    private final long memoryCapacityBytes;
    private PoolVisibility use = PoolVisibility.ANNOUNCED;
    private boolean wholeAtStart;
    private boolean shared;
    private int segmentBytes = DEFAULT_SEGMENT_BYTES;
    private int blockBytes = DEFAULT_BLOCK_BYTES;
    private List<Path> diskDirectories = List.of();
    private long diskCapacityBytes;
    private DiskReserve diskReserve = DEFAULT_DISK_RESERVE;
    private long heapBytes = Runtime.getRuntime().maxMemory() / HEAP_SHARES;
    private long diskTimeoutMs = DiskThread.TIMEOUT_MS;
    private boolean backgroundCopy;
    private Medium medium = new PlainMedium();
    private boolean recover;
    private Set<String> runningApplications = Set.of();
    private Function<String, Optional<Owner>> applicationOwners = id -> Optional.empty();
    private RecoveredLeases formerLeases = RecoveredLeases.NONE;
    private long fillTimeoutMs = 10_000;
    private SegmentListener segmentListener = SegmentListener.NONE;
    private MemoryArbiter memoryKeeper = MemoryArbiter.NONE;
    private SettingNames settingNames =
        new SettingNames("memoryCapacityBytes", "diskDirectories", "diskCapacityBytes");

    private Builder(Path directory, long memoryCapacityBytes) {
      this.directory = directory;
      this.memoryCapacityBytes = memoryCapacityBytes;
    }

    /** Which users open the files of the pool. */
    public Builder use(PoolVisibility use) {
      this.use = use;
      return this;
    }

    /** Whether all segments are made at the start; if not, as they are needed, one ahead. */
    public Builder wholeAtStart(boolean wholeAtStart) {
      this.wholeAtStart = wholeAtStart;
      return this;
    }

    /** Grants leases of several owners. */
    public Builder shared() {
      this.shared = true;
      return this;
    }

    /** Sizes of a segment and of a block. */
    public Builder geometry(int segmentBytes, int blockBytes) {
      this.segmentBytes = segmentBytes;
      this.blockBytes = blockBytes;
      return this;
    }

    /** The disk tier, which leaves so many bytes free on each file system. */
    public Builder disk(List<Path> directories, long capacityBytes, long reserveBytes) {
      return disk(directories, capacityBytes, DiskReserve.of(reserveBytes));
    }

    /** The disk tier. */
    public Builder disk(List<Path> directories, long capacityBytes, DiskReserve reserve) {
      this.diskDirectories = directories;
      this.diskCapacityBytes = capacityBytes;
      this.diskReserve = reserve;
      return this;
    }

    /** Most that outputs and files of the disk tier may take of the heap. */
    public Builder heapBytes(long heapBytes) {
      this.heapBytes = heapBytes;
      return this;
    }

    /** Time limit of one request to a directory of the disk tier. */
    public Builder diskTimeoutMs(long diskTimeoutMs) {
      this.diskTimeoutMs = diskTimeoutMs;
      return this;
    }

    /** Copies outputs to the disk tier while nobody waits for it. */
    public Builder backgroundCopy(boolean backgroundCopy) {
      this.backgroundCopy = backgroundCopy;
      return this;
    }

    /** The medium of the memory tier. */
    public Builder medium(Medium medium) {
      this.medium = medium;
      return this;
    }

    /** Recovers the outputs in the pool; tasks of these applications may still be writing. */
    public Builder recover(Set<String> runningApplications) {
      this.recover = true;
      this.runningApplications = runningApplications;
      return this;
    }

    /** The users of the applications whose outputs are recovered. */
    public Builder applicationOwners(Function<String, Optional<Owner>> applicationOwners) {
      this.applicationOwners = applicationOwners;
      return this;
    }

    /** Knows the tasks that a former store had given leases. */
    public Builder formerLeases(RecoveredLeases formerLeases) {
      this.formerLeases = formerLeases;
      return this;
    }

    /** How long a lease waits for segments that are being made. */
    public Builder fillTimeoutMs(long fillTimeoutMs) {
      this.fillTimeoutMs = fillTimeoutMs;
      return this;
    }

    /** Is told of segments that come and go. */
    public Builder segmentListener(SegmentListener segmentListener) {
      this.segmentListener = segmentListener;
      return this;
    }

    /** Decides how much of the memory tier each task may have. */
    public Builder memoryKeeper(MemoryArbiter memoryKeeper) {
      this.memoryKeeper = memoryKeeper;
      return this;
    }

    /** Names of the settings in messages. */
    public Builder settingNames(SettingNames settingNames) {
      this.settingNames = settingNames;
      return this;
    }

    /** The finished configuration. */
    public StoreConfig build() {
      return new StoreConfig(
          directory,
          use,
          memoryCapacityBytes,
          wholeAtStart,
          shared,
          segmentBytes,
          blockBytes,
          diskDirectories,
          diskCapacityBytes,
          diskReserve,
          heapBytes,
          diskTimeoutMs,
          backgroundCopy,
          medium,
          recover,
          runningApplications,
          applicationOwners,
          formerLeases,
          fillTimeoutMs,
          segmentListener,
          memoryKeeper,
          settingNames);
    }
  }

  /**
   * How much the disk tier leaves free on each of its file systems. Another program calls a file
   * system full when less is free than a number of bytes, or than a share of its size. The tier
   * leaves more than the larger of these.
   *
   * @param aboveBytes how much more is left free, for what the other program writes before
   * @param fullBytes how many free bytes the other program calls full
   * @param fullShare the same, as a share of the size
   */
  public record DiskReserve(long aboveBytes, long fullBytes, double fullShare) {
    public DiskReserve {
      if (aboveBytes < 0 || fullBytes < 0 || !(fullShare >= 0 && fullShare <= 1)) {
        throw new IllegalArgumentException(
            "the disk tier cannot leave %s bytes above %s and above %s of a disk"
                .formatted(aboveBytes, fullBytes, fullShare));
      }
    }

    /** So many bytes, however large the file system is. */
    public static DiskReserve of(long bytes) {
      return new DiskReserve(bytes, 0, 0);
    }

    /** The bytes of a file system of that size that are not for the tier. */
    long bytesOf(long sizeBytes) {
      return aboveBytes + Math.max(fullBytes, (long) Math.ceil(fullShare * sizeBytes));
    }

    @Override
    public String toString() {
      return fullBytes == 0 && fullShare == 0
          ? aboveBytes + " bytes"
          : "%s bytes above the larger of %s bytes and %s of the disk"
              .formatted(aboveBytes, fullBytes, fullShare);
    }
  }
}
