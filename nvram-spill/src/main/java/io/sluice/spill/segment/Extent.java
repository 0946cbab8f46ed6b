package io.sluice.spill.segment;

import java.util.Objects;

/**
 * A contiguous range of whole blocks in one segment, leased to a writer or owned by an output. It
 * differs from {@link Range} in that it names the file.
 *
 * @param segment the file
 * @param offsetBytes from the start of the file, a multiple of the block size
 * @param lengthBytes a positive multiple of the block size
 */
public record Extent(SegmentInfo segment, long offsetBytes, long lengthBytes) {
  /** No extent is longer, so that each can be mapped into one {@link java.nio.ByteBuffer}. */
  public static final long MAX_LENGTH_BYTES = 1L << 30;

  public Extent {
    Objects.requireNonNull(segment, "segment");
    if (offsetBytes < 0
        || lengthBytes <= 0
        || lengthBytes > MAX_LENGTH_BYTES
        || offsetBytes > segment.lengthBytes() - lengthBytes) {
      throw new IllegalArgumentException(
          "extent at " + offsetBytes + " of length " + lengthBytes + " is not inside " + segment);
    }
  }

  /** The same bytes without the file. */
  public Range range() {
    return new Range(segment.segmentId(), offsetBytes, lengthBytes);
  }
}
