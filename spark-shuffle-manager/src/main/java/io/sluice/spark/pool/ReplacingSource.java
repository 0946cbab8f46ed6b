package io.sluice.spark.pool;

import io.sluice.spill.format.FooterLocation;
import io.sluice.spill.format.OutputStamp;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.SegmentOpener;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.LeaseInfo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A lease as Spark needs it: where two attempts commit an output of the same name, the one that
 * comes last counts, as with Spark's own files. Unlike with a lease itself, which refuses it.
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
