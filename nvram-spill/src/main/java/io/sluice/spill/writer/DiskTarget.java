package io.sluice.spill.writer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * An extent of the disk tier.
 *
 * <p>Thread contract and ownership: as {@link StagingTarget} says.
 */
final class DiskTarget implements StagingTarget {
  private final FileChannel file;
  private final long extentOffsetBytes;
  private final boolean forced;

  /** {@code forced} if the memory tier survives a loss of power, so that this one must as well. */
  DiskTarget(FileChannel file, long extentOffsetBytes, boolean forced) {
    this.file = file;
    this.extentOffsetBytes = extentOffsetBytes;
    this.forced = forced;
  }

  @Override
  public void write(int offsetBytes, ByteBuffer source) throws IOException {
    long toBytes = extentOffsetBytes + offsetBytes;
    while (source.hasRemaining()) {
      toBytes += file.write(source, toBytes);
    }
  }

  @Override
  public void persist() throws IOException {
    if (forced) {
      file.force(false);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
