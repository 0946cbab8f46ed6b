package io.sluice.spill.store;

import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.SegmentInfo;
import java.io.Closeable;
import java.io.IOException;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * The memory under a {@link MappedPool}, locked.
 *
 * <p>Thread contract: as {@link PoolSpace} says. Ownership: the pool closes it last.
 */
interface MappedBacking extends Closeable {
  /** For messages. */
  String place();

  /** What offset and length of mappings have to be multiples of. */
  int unitBytes();

  /** The layout of a new pool that is to hold {@code capacityBytes}, or all there is. */
  MappedLayout layout(int segmentBytes, int blockBytes, long capacityBytes) throws IOException;

  /** Whether there is anything to read a header from. */
  boolean exists() throws IOException;

  /** Maps the first bytes for reading and writing; the caller closes it. */
  Mapping mapMeta(int lengthBytes) throws IOException;

  /** Gives back what can be given back. */
  void clear() throws IOException;

  /** As {@link PoolSpace#renewsMemory}. */
  boolean renewsMemory();

  /** Makes the room for {@link #mapMeta}. */
  void createMeta(int lengthBytes) throws IOException;

  /** Where a segment lies, whether it exists or not. */
  SegmentInfo segment(UUID poolId, int segmentId, MappedLayout layout) throws IOException;

  /**
   * Makes the room of a segment, and its zeros safe; false if {@code stopped} says so before it is
   * done.
   */
  boolean create(SegmentInfo segment, Medium medium, BooleanSupplier stopped) throws IOException;

  /** Gives back the room of a segment. */
  void delete(SegmentInfo segment) throws IOException;
}
