package io.sluice.spark.persist;

import io.sluice.spill.segment.Range;
import io.sluice.spill.store.Lease;
import java.util.List;

/**
 * The bytes of one block in the pool.
 *
 * <p>Thread contract: the pool guards {@code freed}. Ownership: the lease holds the bytes; {@link
 * BlockPool#free} closes it.
 */
final class StoredBytes {
  private final Lease lease;
  private final List<Range> ranges;
  private boolean freed;

  /**
   * Not freed yet.
   *
   * @param lease holds the bytes
   * @param ranges the bytes, in order
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
