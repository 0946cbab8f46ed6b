package io.sluice.spill.store;

import io.sluice.rdma.memory.Closing;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Grants blocks: memory first, then disk; and takes them back.
 *
 * <p>Thread contract: guarded by the lock of the store, which also closes it. Failure: {@link
 * StoreFullException} with nothing granted.
 */
final class Allocator {
  private final StoreConfig config;
  private final MemoryTier memory;
  private final DiskDirectories directories;
  private final DiskTier disk;
  private final BlockSet quarantined;
  private long overflows;
  private long refusals;

  Allocator(StoreConfig config, PoolFiles files, LongSupplier nanoTime) {
    this.config = config;
    this.memory = new MemoryTier(config, files.leaseMarks(), files.memory()::claim, nanoTime);
    this.directories = files.disk();
    this.disk =
        new DiskTier(config, files.poolId(), files.owner(), directories, files.generations());
    this.quarantined = new BlockSet(config.blockBytes(), disk.promised());
  }

  MemoryTier memory() {
    return memory;
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

  /**
   * Grants {@code lengthBytes}, whole blocks of its owner's segments, in one piece if it must be
   * contiguous.
   *
   * @param memoryBytes most that may be of the memory tier; nothing that must be contiguous is, if
   *     that is less
   * @param leases everything leased now
   * @param lack why the memory tier has no room although it is not whole, for the message
   */
  List<Extent> take(
      Lease lease,
      long lengthBytes,
      boolean contiguous,
      long memoryBytes,
      Leased leases,
      String lack)
      throws IOException {
    long fromMemoryBytes = contiguous && memoryBytes < lengthBytes ? 0 : memoryBytes;
    List<Extent> taken =
        new ArrayList<>(
            memory.take(lease.owner(), Math.min(lengthBytes, fromMemoryBytes), contiguous));
    long missingBytes = lengthBytes - taken.stream().mapToLong(Extent::lengthBytes).sum();
    if (missingBytes == 0) {
      return taken;
    }
    try {
      Optional<List<Extent>> onDisk = Optional.empty();
      Set<Path> tried = new HashSet<>();
      while (onDisk.isEmpty()) { // each time round there is one directory less
        Optional<DiskDirectories.Room> room = disk.roomiest(tried);
        long roomBytes = room.map(DiskDirectories.Room::usableBytes).orElse(0L);
        checkShare(lease.owner(), missingBytes, room, leases);
        if (roomBytes < missingBytes) {
          // Given back before the message is made, which tells what is free.
          memory.giveBack(taken);
          throw full(lengthBytes, missingBytes - roomBytes, leases, lack);
        }
        Path directory = room.orElseThrow().path();
        onDisk = disk.take(directory, lease.owner(), lease.applicationId(), missingBytes);
        tried.add(directory);
      }
      taken.addAll(onDisk.get());
      return taken;
    } catch (IOException | RuntimeException | Error e) {
      memory.giveBackAfter(e, taken);
      throw e;
    }
  }

  /** Copies count as free: they give way. */
  private void checkShare(
      Owner owner, long lengthBytes, Optional<DiskDirectories.Room> room, Leased leases)
      throws DiskShareException {
    if (room.isPresent()) {
      disk.checkShare(
          owner,
          lengthBytes,
          room.get().allBytes(),
          leases.copiesBytes(),
          leases.copiesBytes(owner),
          leases.isServingOthers(owner));
    }
  }

  /**
   * Compares with all of the memory tier, whoever has it, and with what the disk tier has left.
   *
   * @throws StoreFullException if that is not enough, which counts as a lease that was refused
   */
  void checkCanEverFit(long lengthBytes, Leased leases) throws StoreFullException {
    if (lengthBytes <= config.memoryCapacityBytes()) {
      return;
    }
    long roomBytes =
        leases.copiesBytes()
            + disk.roomiest(Set.of()).map(DiskDirectories.Room::usableBytes).orElse(0L);
    long shortBytes = lengthBytes - config.memoryCapacityBytes() - roomBytes;
    if (shortBytes > 0) {
      refused();
      throw full(lengthBytes, shortBytes, leases, ", even if all of it were free");
    }
  }

  /** Takes blocks back. */
  void free(Range range, GivenBack givenBack) throws IOException {
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
    Closing.all(memory::close, disk::close);
  }

  private StoreFullException full(long lengthBytes, long shortBytes, Leased leases, String lack) {
    StoreConfig.SettingNames names = config.settingNames();
    String memoryText =
        "memory tier "
            + config.directory()
            + ": "
            + memory.createdBytes()
            + " bytes of "
            + config.memoryCapacityBytes()
            + " configured, free "
            + memory.freeBytes()
            + ", leased "
            + leases.bytes(Tier.MEMORY)
            + lack;
    String diskText =
        config.diskDirectories().isEmpty()
            ? "no disk tier"
            : "disk tier "
                + config.diskDirectories()
                + ": "
                + disk.createdBytes()
                + " bytes used of "
                + (config.diskCapacityBytes() == 0 ? "unlimited" : config.diskCapacityBytes())
                + " configured, "
                + config.diskReserve()
                + " kept free"
                + directories.reasons();
    return new StoreFullException(
        "the spill store is full: a lease of "
            + lengthBytes
            + " bytes is short of "
            + shortBytes
            + " bytes; "
            + memoryText
            + "; "
            + diskText
            + "; raise "
            + names.memoryCapacity()
            + ", add directories to "
            + names.diskDirectories()
            + " or raise "
            + names.diskCapacity());
  }

  /** How much is leased now. */
  interface Leased {
    long bytes(Tier tier);

    /** Of the disk tier, by copies that are given up for a lease. */
    long copiesBytes();

    /** Of these, by those of one user's outputs. */
    long copiesBytes(Owner owner);

    /** Whether another user has a lease or an output. */
    boolean isServingOthers(Owner owner);
  }
}
