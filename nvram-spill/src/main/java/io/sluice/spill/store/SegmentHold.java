package io.sluice.spill.store;

import io.sluice.spill.segment.SegmentInfo;
import java.io.Closeable;

/**
 * Says that a session was sent a segment of its owner: the segment goes to nobody else for a while
 * after it is idle. See {@link SpillStore#hold}.
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever asked closes it, when the session
 * ends.
 */
public final class SegmentHold implements Closeable {
  private final SegmentInfo segment;
  private Runnable release;

  SegmentHold(SegmentInfo segment, Runnable release) {
    this.segment = segment;
    this.release = release;
  }

  /** Which file it is; opening it by name fails where it has been taken from its owner since. */
  public SegmentInfo segment() {
    return segment;
  }

  /** Idempotent. */
  @Override
  public void close() {
    Runnable releasing;
    synchronized (this) {
      releasing = release;
      release = () -> {};
    }
    releasing.run();
  }
}
