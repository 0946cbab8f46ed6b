package io.sluice.spill.writer;

import io.sluice.spill.medium.Medium;
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
 */
public record WriteTarget(
    ExtentSource source, Medium medium, ExtentMemory memory, SegmentOpener opener) {

  /** A target whose writers read as the source says. */
  public WriteTarget(ExtentSource source, Medium medium, ExtentMemory memory) {
    this(source, medium, memory, source.opener());
  }

  /** A target whose writers map each extent themselves, as a task's process must. */
  public static WriteTarget mapped(ExtentSource source, Medium medium) {
    return new WriteTarget(
        source, medium, extent -> OutputWriter.map(source.opener(), medium, extent));
  }

  /** A writer for one output, which has leased nothing yet; see {@link OutputWriter}. */
  public OutputWriter writer(int partitionCount, long leaseBytes) {
    return new OutputWriter(source, medium, memory, opener, partitionCount, leaseBytes);
  }
}
