package io.sluice.spill.store;

import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * What all leases hold, as running sums by tier and by segment of memory: who asks under the lock
 * of the store does not look at each of ten thousand leases.
 *
 * <p>Thread contract: guarded by the lock of the store.
 */
final class LeasedBytes implements BlockSet.Changes {
  private final BlockSet.Changes promised;
  private final Map<Tier, Long> tiers = new EnumMap<>(Tier.class);
  private final Map<Integer, Long> segments = new HashMap<>(); // of memory, those that have any

  /**
   * Nothing is leased.
   *
   * @param promised is told the same
   */
  LeasedBytes(BlockSet.Changes promised) {
    this.promised = promised;
  }

  @Override
  public void added(Range range) {
    promised.added(range);
    change(range, range.lengthBytes());
  }

  @Override
  public void removed(Range range) {
    promised.removed(range);
    change(range, -range.lengthBytes());
  }

  private void change(Range range, long bytes) {
    Tier tier = SegmentInfo.tierOf(range.segmentId());
    tiers.merge(tier, bytes, Long::sum);
    if (tier == Tier.MEMORY && segments.merge(range.segmentId(), bytes, Long::sum) == 0) {
      segments.remove(range.segmentId());
    }
  }

  /** Of a tier. */
  long of(Tier tier) {
    return tiers.getOrDefault(tier, 0L);
  }

  /** Of a segment of memory. */
  long in(int segmentId) {
    return segments.getOrDefault(segmentId, 0L);
  }
}
