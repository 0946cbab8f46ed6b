package io.sluice.spill.store;

import java.util.HashMap;
import java.util.Map;

/**
 * How many sessions were sent a segment of the memory tier and may still have it open. A segment
 * that no session has is taken from its owner first, because a process that reads a file that was
 * cut is killed, or in Java gets an error.
 *
 * <p>It counts sessions that behave, and proves nothing: a task may keep a descriptor as long as it
 * likes.
 *
 * <p>Thread contract: guarded by the lock of the store.
 */
final class SegmentHolders {
  private final Map<Integer, Integer> counts = new HashMap<>();
  private final Map<Integer, Integer> pins = new HashMap<>();

  void add(int segmentId) {
    counts.merge(segmentId, 1, Integer::sum);
  }

  void remove(int segmentId) {
    counts.computeIfPresent(segmentId, (id, count) -> count == 1 ? null : count - 1);
  }

  boolean hold(int segmentId) {
    return counts.containsKey(segmentId);
  }

  /** It is being committed to: until then no other file may take its place, however idle it is. */
  void pin(int segmentId) {
    pins.merge(segmentId, 1, Integer::sum);
  }

  void unpin(int segmentId) {
    pins.computeIfPresent(segmentId, (id, count) -> count == 1 ? null : count - 1);
  }

  boolean isPinned(int segmentId) {
    return pins.containsKey(segmentId);
  }

  /** The file is gone, and with it who had it; a {@link SegmentHold} of it counts no more. */
  void forget(int segmentId) {
    counts.remove(segmentId);
  }
}
