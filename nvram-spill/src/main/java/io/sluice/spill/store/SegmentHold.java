package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.io.Closeable;
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
    state.lock.lock();
    try {
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
    } finally {
      state.lock.unlock();
    }
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
    state.lock.lock();
    try {
      if (state.allocator.segment(segment.segmentId()) == counted) { // else it was taken since
        state.holders.remove(segment.segmentId());
        state.memorySpace.wake();
      }
    } finally {
      state.lock.unlock();
    }
  }
}
