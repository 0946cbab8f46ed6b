package io.sluice.spill.store;

import io.sluice.spill.medium.DevDaxMedium.DaxDevice;
import io.sluice.spill.medium.PoolKind;
import io.sluice.spill.segment.Owner;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The directory or device of a pool's memory tier, locked: its segments, and what the pool keeps
 * about itself.
 *
 * <ul>
 *   <li>It is a pool from the end of {@link #format} to the beginning of {@link #clear}; a process
 *       that dies in between, or a power cut, leaves no half of one.
 *   <li>The areas may be asked for after {@link #format}, or after {@link #header} has found one.
 *       Where {@link #outlivesLoss} they are asked for before {@link #format}, too.
 *   <li>A segment exists when all of its space does: a store into its mapping never meets a full
 *       file system, which the kernel reports by killing the process (SIGBUS).
 * </ul>
 *
 * <p>If it {@link #servesOwners} it makes zeroed segments without an owner. A segment that was
 * claimed is of that owner until it is retired, and never of another.
 *
 * <p>Thread contract: segments are created and retired by one thread, everything else is guarded by
 * the lock of the store. Ownership: the store closes it last, which drops the lock; areas and
 * handles are the caller's to close before. Failure: {@link IOException} that says what to do.
 */
interface PoolSpace extends Closeable {
  /** Locks the directory or device of a configuration. */
  interface Opener {
    PoolSpace open(StoreConfig config) throws IOException;
  }

  /** Locks the directory or device of a configuration; the caller closes it. */
  static PoolSpace open(StoreConfig config) throws IOException {
    Owner owner = Owner.ofThisProcess();
    return switch (PoolKind.of(config.directory())) {
      case FILES ->
          new FilePool(config, LockedDirectory.open(config.directory(), config.use()), owner);
      case HUGE_PAGES -> new MappedPool(config, HugePages.open(config, owner), owner);
      case DEVICE ->
          new MappedPool(config, DeviceSpace.open(DaxDevice.of(config.directory())), owner);
    };
  }

  /** The header of the pool; empty if there is none. */
  Optional<PoolHeader> header() throws IOException;

  /** Makes it no pool, and gives back what it can. */
  void clear() throws IOException;

  /**
   * Whether what comes after {@link #clear} is other memory under other names: then tasks that
   * outlived the pool cannot write to it any more.
   */
  boolean renewsMemory();

  /** Makes it an empty pool, after {@link #clear}. */
  void format(PoolHeader header) throws IOException;

  /**
   * Whether a pool whose memory is lost can go on here with its id. Tasks that outlived the loss
   * must not find new segments under the names of the lost ones.
   */
  boolean outlivesLoss();

  /** For a {@link GenerationCounter}. */
  MetaArea generation() throws IOException;

  /** For {@link LeaseMarks}. */
  MetaArea leaseMarks() throws IOException;

  /** The segments that have an owner, in order; a segment that was left half made is removed. */
  List<Integer> segmentIds() throws IOException;

  /** Opens an existing segment; its length must be that of the pool. */
  SegmentHandle open(int segmentId) throws IOException;

  /** Creates a segment; empty-handed (null) if {@code stopped} says so before it is done. */
  SegmentHandle create(int segmentId, BooleanSupplier stopped) throws IOException;

  /** Closes a segment that was just created, and makes it not exist. */
  void discard(SegmentHandle segment) throws IOException;

  /** Whether its segments can be of several owners; else all are of this process's user. */
  boolean servesOwners();

  /** The segments without an owner, after {@link #segmentIds} was called. */
  List<Integer> freeIds() throws IOException;

  /** Creates a segment without an owner; false if {@code stopped} says so before it is done. */
  boolean makeFree(int segmentId, BooleanSupplier stopped) throws IOException;

  /**
   * Gives an owner to a segment that has none, safely, and opens it. If that fails it still has
   * none.
   */
  SegmentHandle claim(int segmentId, Owner owner) throws IOException;

  /**
   * Closes a segment, and takes its memory from every process that has it open. The next one with
   * its id is another file, of another incarnation.
   */
  void retire(SegmentHandle segment) throws IOException;
}
