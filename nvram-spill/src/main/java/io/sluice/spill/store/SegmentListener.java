package io.sluice.spill.store;

/**
 * Is told which files outputs may lie in, so that a transport registers each exactly once.
 *
 * <p>Thread contract: called from any thread, never under the lock of the store, and for one
 * segment in order. Ownership: a handle is valid until {@link #segmentRemoved} returns or the store
 * is closed. Failure: what {@link #segmentAdded} throws keeps the segment out of use.
 */
public interface SegmentListener {
  /** Listens to nothing. */
  SegmentListener NONE =
      new SegmentListener() {
        @Override
        public void segmentAdded(SegmentHandle segment) {}

        @Override
        public void segmentRemoved(SegmentHandle segment) {}
      };

  /** Before the first output in this segment can be found. */
  void segmentAdded(SegmentHandle segment);

  /** After the last output in it was freed, before its file is closed. */
  void segmentRemoved(SegmentHandle segment);
}
