package io.sluice.spill.store;

import java.io.IOException;

/** Thrown when a segment that an output lies in cannot be read; not every one need be its last. */
final class UnreadableSegmentException extends IOException {
  private static final long serialVersionUID = 1;

  private final transient SegmentHandle segment;

  UnreadableSegmentException(SegmentHandle segment, IOException cause) {
    super("cannot read " + segment.info() + ": " + cause, cause);
    this.segment = segment;
  }

  /** What the segment itself said. */
  IOException failure() {
    return (IOException) getCause();
  }

  SegmentHandle segment() {
    return segment;
  }
}
