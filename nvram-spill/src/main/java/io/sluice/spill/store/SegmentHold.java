package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.io.Closeable;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Says that a session was sent a segment of its owner: for a while after the segment is idle it
 * goes to nobody else. See {@link SpillStore#hold}.
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller of {@link SpillStore#hold} closes
 * it, when the session ends.
 */
public final class SegmentHold implements Closeable {
  private final StoreState state;
  private final SegmentInfo segment;

  /** Null on disk: a session may outlive many files, and must not keep what is deleted. */
  private final SegmentHandle counted;

  private boolean closed;

  private SegmentHold(StoreState state, SegmentHandle handle) {
    this.state = state;
    this.segment = handle.info();
    this.counted = segment.tier() == Tier.MEMORY ? handle : null;
  }

  /** As {@link SpillStore#hold}. */
  static Optional<SegmentHold> begin(
      StoreState state, Owner owner, int segmentId, int incarnation) {
    return state.locked(
        () -> {
          SegmentHandle handle = state.allocator.segment(segmentId);
          if (handle == null
              || !handle.owner().equals(owner)
              || handle.info().incarnation() != incarnation) {
            return Optional.empty();
          }
          if (handle.info().tier() == Tier.MEMORY) { // a file on disk never becomes another owner's
            state.holders.add(segmentId);
          }
          return Optional.of(new SegmentHold(state, handle));
        });
  }

  /** Which file it is; opening it by name fails where it has been taken from its owner since. */
  public SegmentInfo segment() {
    return segment;
  }

  /** Idempotent. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    if (counted != null) {
      release();
    }
  }

  private void release() {
    state.lock.lock(); // without a lambda: there may be no memory for one
    try {
      if (state.allocator.segment(segment.segmentId()) == counted) { // else it was taken since
        state.holders.remove(segment.segmentId());
        state.memorySpace.wake();
      }
    } finally {
      state.lock.unlock();
    }
  }

  /**
   * How many sessions were sent a segment of the memory tier and may still have it open. A segment
   * that no session has is taken from its owner first, because a process that reads a file that was
   * cut is killed, or in Java gets an error.
   *
   * <p>It counts sessions that behave, and proves nothing: a task may keep a descriptor as long as
   * it likes.
   *
   * <p>Thread contract: guarded by the lock of the store.
   */
  static final class Holders {
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

    /**
     * It is being committed to: until then no other file may take its place, however idle it is.
     */
    void pin(int segmentId) {
      pins.merge(segmentId, 1, Integer::sum);
    }

    void unpin(int segmentId) {
      pins.computeIfPresent(segmentId, (id, count) -> count == 1 ? null : count - 1);
    }

    boolean isPinned(int segmentId) {
      return pins.containsKey(segmentId);
    }

    /** The file is gone, and its holders with it; a {@link SegmentHold} of it counts no more. */
    void forget(int segmentId) {
      counts.remove(segmentId);
    }
  }
}
