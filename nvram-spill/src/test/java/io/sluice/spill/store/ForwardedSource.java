package io.sluice.spill.store;

import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.OutputIdentity.OutputStamp;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import io.sluice.spill.store.ExtentSource.PendingWrite;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Extents as another source gives them; a test changes some of it. */
public interface ForwardedSource extends ExtentSource {
  /** Does whatever is not changed. */
  ExtentSource source();

  @Override
  default LeaseInfo info() {
    return source().info();
  }

  @Override
  default SegmentOpener opener() {
    return source().opener();
  }

  @Override
  default List<Extent> lease(long lengthBytes) throws IOException {
    return source().lease(lengthBytes);
  }

  @Override
  default Extent leaseContiguous(long lengthBytes) throws IOException {
    return source().leaseContiguous(lengthBytes);
  }

  @Override
  default void write(Extent extent, long offsetBytes, ByteBuffer bytes) throws IOException {
    source().write(extent, offsetBytes, bytes);
  }

  @Override
  default PendingWrite beginWrite(Extent extent, long offsetBytes, ByteBuffer bytes)
      throws IOException {
    return source().beginWrite(extent, offsetBytes, bytes);
  }

  @Override
  default void force(Extent extent) throws IOException {
    source().force(extent);
  }

  @Override
  default void release(List<Extent> extents) throws IOException {
    source().release(extents);
  }

  @Override
  default void commit(OutputStamp stamp, FooterLocation trailer) throws IOException {
    source().commit(stamp, trailer);
  }
}
