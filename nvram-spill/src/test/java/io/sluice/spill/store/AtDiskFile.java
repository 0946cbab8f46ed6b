package io.sluice.spill.store;

import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.SegmentHandle.SegmentListener;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Does a step, once, when a file of the disk tier is announced. Of files that come after the start
 * that is where an output is moved or copied to, just before its mark there.
 */
final class AtDiskFile implements SegmentListener {
  private final AtomicReference<Step> next = new AtomicReference<>(segment -> {});

  /** What a test does meanwhile. */
  interface Step {
    void at(SegmentHandle segment) throws IOException;
  }

  /** The step at the next file that comes. */
  void set(Step step) {
    next.set(step);
  }

  @Override
  public void segmentAdded(SegmentHandle segment) {
    if (segment.info().tier() == Tier.DISK) {
      try {
        next.getAndSet(nothing -> {}).at(segment);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Override
  public void segmentRemoved(SegmentHandle segment) {}
}
