package io.sluice.spark.persist;

import io.sluice.spill.segment.Range;
import io.sluice.spill.store.Lease;
import java.util.List;

/**
 * The bytes of one block in the pool.
 *
 * <p>Thread contract: that of the pool, which guards {@code freed}. Ownership: the lease holds the
 * bytes; whoever has stored the block gives it to {@link BlockPool#free}.
 */
final class StoredBytes {
  private final Lease lease;
  private final List<Range> ranges;
  private boolean freed;

  /**
   * Still there.
   *
   * @param lease under which nobody else gets the bytes
   * @param ranges where they are, in order
   */
  StoredBytes(Lease lease, List<Range> ranges) {
    this.lease = lease;
    this.ranges = List.copyOf(ranges);
  }

  Lease lease() {
    return lease;
  }

  List<Range> ranges() {
    return ranges;
  }

  boolean isFreed() {
    return freed;
  }

  void markFreed() {
    freed = true;
  }
}
