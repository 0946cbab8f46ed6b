package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * How much all leases and all copies hold now. The sums of leases are kept up to date, by tier and
 * by segment of memory. A caller under the lock of the store must not look at each of ten thousand
 * leases.
 *
 * <p>Thread contract: guarded by the lock of the store.
 */
final class LeasedTotals implements BlockSet.Changes {
  private final StoreState state;
  private final BlockSet.Changes promised;
  private final Map<Tier, Long> tiers = new EnumMap<>(Tier.class);
  private final Map<Integer, Long> segments = new HashMap<>(); // of memory, those that have any

  /** Nothing is leased; the disk tier is told the same changes as this. */
  LeasedTotals(StoreState state) {
    this.state = state;
    this.promised = state.allocator.disk().promised();
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

  /** Bytes of a tier that leases hold. */
  long bytes(Tier tier) {
    return tiers.getOrDefault(tier, 0L);
  }

  /** Bytes of a segment of memory that leases hold. */
  long bytesIn(int segmentId) {
    return segments.getOrDefault(segmentId, 0L);
  }

  /** Bytes of the disk tier that copies hold: they are given up for a lease. */
  long copiesBytes() {
    return state.copies.bytes() + copyingBytes();
  }

  /** Of these, the bytes of copies of one user's outputs. */
  long copiesBytes(Owner owner) {
    boolean isCopying = state.copying != null && state.copying.owner().equals(owner);
    return state.copies.bytes(owner) + (isCopying ? copyingBytes() : 0);
  }

  /** Bytes of the disk tier of the copy that is being written. */
  long copyingBytes() {
    return state.copying == null
        ? 0
        : state.copying.heldBytes(Tier.DISK) + state.diskSpace.makingBytes(state.copying);
  }

  /** Whether another user has a lease or an output. */
  boolean isServingOthers(Owner owner) {
    return state.leases.stream().anyMatch(lease -> !lease.owner().equals(owner))
        || state.outputs.hasOthers(owner);
  }
}
