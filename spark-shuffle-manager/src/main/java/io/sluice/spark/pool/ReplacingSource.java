package io.sluice.spark.pool;

import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.OutputIdentity.OutputStamp;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import io.sluice.spill.store.Lease;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A lease that replaces an output of the same name when it commits. Of two attempts that commit the
 * same output, the later one counts, as with Spark's own files. A {@link Lease} itself refuses the
 * second commit.
 *
 * <p>Thread contract: safe from any thread. It does not own the lease.
 */
record ReplacingSource(Lease lease) implements ExtentSource {
  @Override
  public LeaseInfo info() {
    return lease.info();
  }

  @Override
  public SegmentOpener opener() {
    return lease.opener();
  }

  @Override
  public List<Extent> lease(long lengthBytes) throws IOException {
    return lease.lease(lengthBytes);
  }

  @Override
  public Extent leaseContiguous(long lengthBytes) throws IOException {
    return lease.leaseContiguous(lengthBytes);
  }

  @Override
  public void write(Extent extent, long offsetBytes, ByteBuffer bytes) throws IOException {
    lease.write(extent, offsetBytes, bytes);
  }

  @Override
  public void force(Extent extent) throws IOException {
    lease.force(extent);
  }

  @Override
  public void release(List<Extent> extents) throws IOException {
    lease.release(extents);
  }

  @Override
  public void commit(OutputStamp stamp, FooterLocation trailer) throws IOException {
    lease.replace(stamp, trailer);
  }
}
