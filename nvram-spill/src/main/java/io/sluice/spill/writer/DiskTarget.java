package io.sluice.spill.writer;

import io.sluice.spill.segment.SegmentFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An extent of the disk tier.
 *
 * <p>Thread contract and ownership: as {@link StagingTarget} says.
 */
final class DiskTarget implements StagingTarget {
  private final SegmentFile file;
  private final long extentOffsetBytes;
  private final boolean forced;

  /** {@code forced} if the memory tier survives a loss of power, so that this one must as well. */
  DiskTarget(SegmentFile file, long extentOffsetBytes, boolean forced) {
    this.file = file;
    this.extentOffsetBytes = extentOffsetBytes;
    this.forced = forced;
  }

  @Override
  public void write(int offsetBytes, ByteBuffer source) throws IOException {
    file.write(extentOffsetBytes + offsetBytes, source);
  }

  @Override
  public void persist() throws IOException {
    if (forced) {
      file.force();
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
