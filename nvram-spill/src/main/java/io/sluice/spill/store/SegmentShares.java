package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import java.util.HashMap;
import java.util.Map;

/**
 * How many segments of memory each owner has, how many of these are in use, and how many more an
 * owner may have.
 *
 * <p>If there are other owners, one that has its share leaves the last eighth to those that have
 * less. Segments are counted, not bytes, since one leased block keeps a whole segment from other
 * owners. Segments that others have and do not use are to be had.
 *
 * <p>Thread contract: guarded by the lock of the store.
 */
final class SegmentShares {
  /** The part of the segments that is kept for owners with fewer than their share. */
  private static final int KEPT_PART = 8;

  private final int mostSegments;
  private final boolean limited;
  private final Map<Owner, Integer> owned = new HashMap<>();
  private final Map<Owner, Integer> busy = new HashMap<>(); // of these, not idle

  /**
   * Nobody has any.
   *
   * @param mostSegments how many there can be
   * @param limited whether an owner may be refused memory; without a disk tier it would have
   *     nothing
   */
  SegmentShares(int mostSegments, boolean limited) {
    this.mostSegments = mostSegments;
    this.limited = limited;
  }

  /** An owner has a further segment, which is in use. */
  void add(Owner owner) {
    owned.merge(owner, 1, Integer::sum);
    becomesBusy(owner);
  }

  /**
   * An owner has a segment less.
   *
   * @return whether it has none now
   */
  boolean remove(Owner owner, boolean wasIdle) {
    if (!wasIdle) {
      becomesIdle(owner);
    }
    return owned.computeIfPresent(owner, SegmentShares::less) == null;
  }

  /** A segment of an owner is in use again. */
  void becomesBusy(Owner owner) {
    busy.merge(owner, 1, Integer::sum);
  }

  /** All blocks of a segment are free by now. */
  void becomesIdle(Owner owner) {
    busy.computeIfPresent(owner, SegmentShares::less);
  }

  private static Integer less(Owner owner, int count) {
    return count == 1 ? null : count - 1;
  }

  int of(Owner owner) {
    return owned.getOrDefault(owner, 0);
  }

  /** How many each owner has, if any. */
  Map<Owner, Long> all() {
    Map<Owner, Long> all = new HashMap<>();
    owned.forEach((owner, count) -> all.put(owner, (long) count));
    return all;
  }

  /** How many owners have segments. */
  int ownerCount() {
    return owned.size();
  }

  /**
   * How many more an owner may have; negative if it has more than that.
   *
   * @param last whether it would have nothing otherwise: what is kept for others would then help
   *     nobody
   */
  int mostMore(Owner owner, boolean last) {
    int sharing = busy.size() + (busy.containsKey(owner) ? 0 : 1);
    if (!limited || sharing == 1) {
      return Integer.MAX_VALUE;
    }
    int has = of(owner);
    int others =
        busy.values().stream().mapToInt(Integer::intValue).sum() - busy.getOrDefault(owner, 0);
    int share = (mostSegments + sharing - 1) / sharing;
    int kept = last ? 0 : Math.max(1, mostSegments / KEPT_PART);
    return Math.max(share - has, mostSegments - others - has - kept);
  }
}
