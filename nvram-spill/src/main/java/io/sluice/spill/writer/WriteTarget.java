package io.sluice.spill.writer;

import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.SegmentOpener;
import io.sluice.spill.store.ExtentSource;

/**
 * Where writers put their bytes.
 *
 * <p>Thread contract: that of its parts. Ownership: the source stays its owner's.
 *
 * @param source leases the extents
 * @param medium how bytes reach them and are made safe
 * @param memory how a writer gets at those of the memory tier
 * @param opener how what was written is read again
 * @param mappedBytes a writer fills at most so much of the memory tier at a time before it takes
 *     the mapping down
 */
public record WriteTarget(
    ExtentSource source,
    Medium medium,
    ExtentMemory memory,
    SegmentOpener opener,
    long mappedBytes) {
  /** A target whose writers read as the source says. */
  public WriteTarget(ExtentSource source, Medium medium, ExtentMemory memory) {
    this(source, medium, memory, source.opener(), Extent.MAX_LENGTH_BYTES);
  }

  /** A target whose writers map each extent themselves, as a task's process must. */
  public static WriteTarget mapped(ExtentSource source, Medium medium) {
    return mapped(source, medium, OutputWriter.MAPPED_BYTES);
  }

  /** The same with at most so much mapped for a writer, but one block at least. */
  public static WriteTarget mapped(ExtentSource source, Medium medium, long mappedBytes) {
    return new WriteTarget(
        source,
        medium,
        extent -> OutputWriter.map(source.opener(), medium, extent),
        source.opener(),
        Math.min(OutputWriter.MAPPED_BYTES, mappedBytes));
  }

  /** A writer for one output, which has leased nothing yet; see {@link OutputWriter}. */
  public OutputWriter writer(int partitionCount, long leaseBytes) {
    return new OutputWriter(
        source, medium, memory, opener, mappedBytes, partitionCount, leaseBytes);
  }
}
