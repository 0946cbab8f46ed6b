package io.sluice.memory.fs.space;

import io.sluice.spill.segment.Extent;
import io.sluice.spill.store.SegmentHandle;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A piece of the disk tier, read and written in its turn at the device.
 *
 * <p>Thread contract and ownership: those of {@link FileExtent}. Failure: {@link IOException} of
 * the device, within its deadline, and for who reads too late.
 */
final class DiskExtent extends LeasedExtent {
  private final SegmentHandle segment;

  DiskExtent(ExtentLease lease, Extent extent, SegmentHandle segment) {
    super(lease, extent);
    this.segment = segment;
  }

  @Override
  public ByteBuffer memory() {
    return null;
  }

  @Override
  public void read(int offsetBytes, ByteBuffer destination) throws IOException {
    segment.copyTo(extent().offsetBytes() + offsetBytes, destination);
  }

  @Override
  public void write(int offsetBytes, ByteBuffer source) throws IOException {
    lease().write(extent(), offsetBytes, source);
  }

  @Override
  FileExtent over(Extent part) {
    return new DiskExtent(lease(), part, segment);
  }
}
