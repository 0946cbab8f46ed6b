package io.sluice.spill.writer;

import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.SegmentFile;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.store.ExtentSource;
import java.io.IOException;

/**
 * Where writers put their bytes.
 *
 * <p>Thread contract: that of its parts. Ownership: the source stays its owner's.
 *
 * @param source leases the extents
 * @param medium writes bytes to the extents and makes them safe
 * @param memory maps extents of the memory tier for a writer
 * @param opener opens the segments to read written bytes again
 * @param mappedBytes most that a writer maps of the memory tier at a time
 */
public record WriteTarget(
    ExtentSource source,
    Medium medium,
    ExtentMemory memory,
    SegmentOpener opener,
    long mappedBytes) {
  /** Mapped of an extent by a task: as much as a writer leases by itself at a time. */
  private static final long MAPPED_BYTES = 32L << 20;

  /** A target whose writers read as the source says. */
  public WriteTarget(ExtentSource source, Medium medium, ExtentMemory memory) {
    this(source, medium, memory, source.opener(), Extent.MAX_LENGTH_BYTES);
  }

  /** A target whose writers map each extent themselves, as a task's process must. */
  public static WriteTarget mapped(ExtentSource source, Medium medium) {
    return mapped(source, medium, MAPPED_BYTES);
  }

  /** The same with at most so much mapped for a writer, but one block at least. */
  public static WriteTarget mapped(ExtentSource source, Medium medium, long mappedBytes) {
    return new WriteTarget(
        source,
        medium,
        extent -> map(source.opener(), medium, extent),
        source.opener(),
        Math.min(MAPPED_BYTES, mappedBytes));
  }

  private static Mapping map(SegmentOpener opener, Medium medium, Extent extent)
      throws IOException {
    try (SegmentFile file = opener.open(extent.segment(), true)) {
      return medium.map(file, extent.offsetBytes(), (int) extent.lengthBytes());
    }
  }

  /** A writer for one output, which has leased nothing yet; see {@link OutputWriter}. */
  public OutputWriter writer(int partitionCount, long leaseBytes) {
    return new OutputWriter(this, partitionCount, leaseBytes);
  }

  /**
   * Maps an extent of the memory tier for a writer. In a task's process that is a mapping of its
   * own. In the store's process it is the mapping that is there already: that saves the call, its
   * page faults, and counting its pages twice.
   */
  public interface ExtentMemory {
    /** Maps the extent for reading and writing; the writer closes the mapping. */
    Mapping open(Extent extent) throws IOException;
  }
}
