package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.StoreFullException.DiskShareException;
import io.sluice.spill.store.StoreFullException.HeapShareException;
import io.sluice.spill.store.StoreStats.TierStats;
import java.io.IOException;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The two tiers: takes blocks back, and says why there are none. {@link MemoryTier} and {@link
 * DiskSpace} grant them.
 *
 * <p>Thread contract: guarded by the lock of the store, which also closes it.
 */
final class Allocator {
  private final StoreConfig config;
  private final MemoryTier memory;
  private final DiskDirectories directories;
  private final HeapShares heap;
  private final DiskTier disk;
  private final BlockSet quarantined;
  private long overflows;
  private long refusals;

  Allocator(StoreConfig config, PoolFiles files, LongSupplier nanoTime) {
    this.config = config;
    this.memory = new MemoryTier(config, files.leaseMarks(), files.memory()::claim, nanoTime);
    this.directories = files.disk();
    this.heap = new HeapShares(config.heapBytes(), config.shared());
    this.disk =
        new DiskTier(config, files.poolId(), files.owner(), directories, files.generations(), heap);
    this.quarantined = new BlockSet(config.blockBytes(), disk.promised());
  }

  MemoryTier memory() {
    return memory;
  }

  /** How much of the heap outputs and files take. */
  HeapShares heap() {
    return heap;
  }

  DiskTier disk() {
    return disk;
  }

  /** Blocks found without an output at recovery, which a task may still be writing to. */
  BlockSet quarantined() {
    return quarantined;
  }

  SegmentHandle segment(int segmentId) {
    SegmentHandle segment = memory.segment(segmentId);
    return segment != null ? segment : disk.segment(segmentId);
  }

  long roundUp(long lengthBytes) {
    if (lengthBytes <= 0 || lengthBytes > Long.MAX_VALUE - config.blockBytes()) {
      throw new IllegalArgumentException("cannot lease " + lengthBytes + " bytes");
    }
    return (lengthBytes + config.blockBytes() - 1) / config.blockBytes() * config.blockBytes();
  }

  /** All of the blocks in which a range lies. */
  Range wholeBlocks(Range range) {
    long startBytes = range.offsetBytes() / config.blockBytes() * config.blockBytes();
    return new Range(range.segmentId(), startBytes, roundUp(range.endBytes() - startBytes));
  }

  /** Checks a user's shares of the disk tier and the heap. Copies count as free: they give way. */
  void checkShare(Owner owner, long lengthBytes, DiskDirectories.Room room, LeasedTotals leased)
      throws DiskShareException, HeapShareException {
    disk.shares()
        .check(
            owner,
            lengthBytes,
            disk.createdBytes(),
            room.allBytes(),
            leased.copiesBytes(),
            leased.copiesBytes(owner),
            leased.isServingOthers(owner));
    long files = (lengthBytes - 1) / Extent.MAX_LENGTH_BYTES + 1;
    heap.check(owner, files * HeapShares.FILE_BYTES, () -> leased.isServingOthers(owner));
  }

  /**
   * How much a lease is longer than all of the memory tier and the room that the disk tier has
   * left, together; not positive if it could fit.
   */
  long lackingBytes(long lengthBytes, LeasedTotals leased) {
    if (lengthBytes <= config.memoryCapacityBytes()) {
      return 0;
    }
    long roomBytes =
        leased.copiesBytes()
            + disk.roomiest(Set.of()).map(DiskDirectories.Room::usableBytes).orElse(0L);
    return lengthBytes - config.memoryCapacityBytes() - roomBytes;
  }

  /**
   * Requires that it could fit.
   *
   * @throws StoreFullException if not, which counts as a lease that was refused
   */
  void checkCanEverFit(long lengthBytes, LeasedTotals leased) throws StoreFullException {
    long shortBytes = lackingBytes(lengthBytes, leased);
    if (shortBytes > 0) {
      refused();
      throw new StoreFullException(
          full(lengthBytes, shortBytes, leased, ", even if all of it were free"));
    }
  }

  /** Takes blocks back. */
  void free(Range range, DeferredRelease givenBack) throws IOException {
    if (memory.segment(range.segmentId()) != null) {
      memory.free(range);
    } else {
      disk.free(range, givenBack);
    }
  }

  /** A task's lease lies on the disk tier, all of it or in part. */
  void overflowed() {
    overflows++;
  }

  /** A task's lease was granted nothing. */
  void refused() {
    refusals++;
  }

  long overflows() {
    return overflows;
  }

  /** How many directories of the disk tier are left out now. */
  int failedDirectories() {
    return directories.failedCount();
  }

  long refusals() {
    return refusals;
  }

  TierStats memoryStats(long leasedBytes, long committedBytes) {
    return new TierStats(
        config.memoryCapacityBytes(),
        memory.createdBytes(),
        leasedBytes,
        committedBytes,
        quarantined.bytesOf(Tier.MEMORY));
  }

  TierStats diskStats(long leasedBytes, long committedBytes) {
    return new TierStats(
        config.diskCapacityBytes(),
        disk.createdBytes(),
        leasedBytes,
        committedBytes,
        quarantined.bytesOf(Tier.DISK));
  }

  void close() throws IOException {
    Closer.all(memory::close, disk::close);
  }

  /**
   * The message for a lease that gets nothing.
   *
   * @param leased all that is leased now
   * @param lack why the memory tier has no room although it is not whole
   */
  String full(long lengthBytes, long shortBytes, LeasedTotals leased, String lack) {
    StoreConfig.SettingNames names = config.settingNames();
    String memoryText =
        "memory tier %s: %s bytes of %s configured, free %s, leased %s%s"
            .formatted(
                config.directory(),
                memory.createdBytes(),
                config.memoryCapacityBytes(),
                memory.freeBytes(),
                leased.bytes(Tier.MEMORY),
                lack);
    String diskText =
        config.diskDirectories().isEmpty()
            ? "no disk tier"
            : "disk tier %s: %s bytes used of %s configured, %s kept free%s"
                .formatted(
                    config.diskDirectories(),
                    disk.createdBytes(),
                    config.diskCapacityBytes() == 0 ? "unlimited" : config.diskCapacityBytes(),
                    config.diskReserve(),
                    directories.reasons());
    return ("the spill store is full: a lease of %s bytes is short of %s bytes; %s; %s; raise %s,"
            + " add directories to %s or raise %s")
        .formatted(
            lengthBytes,
            shortBytes,
            memoryText,
            diskText,
            names.memoryCapacity(),
            names.diskDirectories(),
            names.diskCapacity());
  }
}
