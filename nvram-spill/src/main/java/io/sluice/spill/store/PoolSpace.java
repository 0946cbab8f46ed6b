package io.sluice.spill.store;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The place of a pool's memory tier, locked: what the pool keeps about itself, and its segments.
 *
 * <ul>
 *   <li>A place is a pool from the end of {@link #format} to the beginning of {@link #clear}; a
 *       process that dies in between, or a power cut, leaves no half of one.
 *   <li>The areas may be asked for after {@link #format}, or after {@link #header} has found one.
 *   <li>A segment exists when all of its space does: a store into its mapping never meets a full
 *       file system, which the kernel reports by killing the process (SIGBUS).
 * </ul>
 *
 * <p>Thread contract: segments are created by one thread, everything else is guarded by the lock of
 * the store. Ownership: the store closes it last, which drops the lock; areas and handles are the
 * caller's to close before. Failure: {@link IOException} that says what to do.
 */
interface PoolSpace extends Closeable {
  /** Locks the place of a configuration. */
  interface Opener {
    PoolSpace open(StoreConfig config) throws IOException;
  }

  /** What pool this is; empty if it is none. */
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

  /** For a {@link GenerationCounter}. */
  MetaArea generation() throws IOException;

  /** For {@link LeaseMarks}. */
  MetaArea leaseMarks() throws IOException;

  /** The segments that exist, in order; what was left half made is removed. */
  List<Integer> segmentIds() throws IOException;

  /** Opens an existing segment; its length must be that of the pool. */
  SegmentHandle open(int segmentId) throws IOException;

  /** Creates a segment; empty-handed (null) if {@code stopped} says so before it is done. */
  SegmentHandle create(int segmentId, BooleanSupplier stopped) throws IOException;

  /** Closes a segment and makes it not exist. */
  void discard(SegmentHandle segment) throws IOException;
}
