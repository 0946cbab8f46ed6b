package io.sluice.spill.store;

import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * Tells the listener of each segment once when it comes and once when it goes.
 *
 * <p>Thread contract: safe from any thread, never called under the lock of the store.
 */
final class AnnouncedSegments {
  private final SegmentListener listener;
  private final Set<Integer> announcedIds = new HashSet<>();

  AnnouncedSegments(SegmentListener listener) {
    this.listener = listener;
  }

  /** Announces those that were not announced yet. */
  synchronized void announce(Collection<SegmentHandle> segments) {
    for (SegmentHandle segment : segments) {
      if (segment != null && !announcedIds.contains(segment.info().segmentId())) {
        listener.segmentAdded(segment);
        announcedIds.add(segment.info().segmentId());
      }
    }
  }

  /** Takes leave of segments of which nothing is used any more, and deletes them. */
  synchronized void retire(Collection<SegmentHandle> segments) throws IOException {
    for (SegmentHandle segment : segments) {
      if (announcedIds.remove(segment.info().segmentId())) {
        listener.segmentRemoved(segment);
      }
      segment.delete();
    }
  }
}
