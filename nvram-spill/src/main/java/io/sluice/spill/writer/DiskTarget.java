package io.sluice.spill.writer;

import io.sluice.spill.segment.Extent;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.store.ExtentSource.PendingWrite;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An extent of the disk tier, which the store writes.
 *
 * <p>Thread contract and ownership: as {@link BufferTarget} says.
 */
final class DiskTarget implements BufferTarget {
  private final ExtentSource source;
  private final Extent extent;
  private final boolean forced;

  /** {@code forced} if the memory tier survives a loss of power, so that this one must as well. */
  DiskTarget(ExtentSource source, Extent extent, boolean forced) {
    this.source = source;
    this.extent = extent;
    this.forced = forced;
  }

  @Override
  public void write(int offsetBytes, ByteBuffer bytes) throws IOException {
    if (bytes.hasRemaining()) {
      source.write(extent, offsetBytes, bytes);
    }
  }

  @Override
  public PendingWrite beginWrite(int offsetBytes, ByteBuffer bytes) throws IOException {
    return bytes.hasRemaining() ? source.beginWrite(extent, offsetBytes, bytes) : PendingWrite.DONE;
  }

  @Override
  public void persist() throws IOException {
    if (forced) {
      source.force(extent);
    }
  }

  @Override
  public void close() {
    // nothing is open here
  }
}
