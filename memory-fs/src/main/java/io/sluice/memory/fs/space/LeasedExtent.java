package io.sluice.memory.fs.space;

import io.sluice.spill.segment.Extent;
import java.io.IOException;

/**
 * A piece that is an extent of the store, whatever its tier.
 *
 * <p>Thread contract and ownership: those of {@link FileExtent}.
 */
abstract class LeasedExtent implements FileExtent {
  private final ExtentLease lease;
  private final Extent extent;

  LeasedExtent(ExtentLease lease, Extent extent) {
    this.lease = lease;
    this.extent = extent;
  }

  ExtentLease lease() {
    return lease;
  }

  Extent extent() {
    return extent;
  }

  @Override
  public int lengthBytes() {
    return (int) extent.lengthBytes();
  }

  @Override
  public FileExtent first(int keptBytes) {
    int blockBytes = lease.blockBytes();
    long keptBlockBytes = ((long) keptBytes + blockBytes - 1) / blockBytes * blockBytes;
    return keptBlockBytes >= extent.lengthBytes()
        ? this
        : over(new Extent(extent.segment(), extent.offsetBytes(), keptBlockBytes));
  }

  @Override
  public void releaseBehind(FileExtent first) throws IOException {
    int keptBytes = first.lengthBytes();
    if (keptBytes < lengthBytes()) {
      lease.release(
          new Extent(
              extent.segment(),
              extent.offsetBytes() + keptBytes,
              extent.lengthBytes() - keptBytes));
    }
  }

  @Override
  public void release() throws IOException {
    lease.release(extent);
  }

  /** The same over the beginning of the extent. */
  abstract FileExtent over(Extent part);
}
