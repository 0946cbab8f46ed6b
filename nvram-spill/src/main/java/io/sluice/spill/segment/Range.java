package io.sluice.spill.segment;

/**
 * A range of bytes of one segment, by the segment's id alone. Ranges go over the wire and to media.
 *
 * @param segmentId the segment
 * @param offsetBytes from the start of the segment
 * @param lengthBytes length, more than 0
 */
public record Range(int segmentId, long offsetBytes, long lengthBytes) {
  public Range {
    if (segmentId < 0 || offsetBytes < 0 || lengthBytes <= 0) {
      throw new IllegalArgumentException(
          "impossible range: segment %s, offset %s, length %s"
              .formatted(segmentId, offsetBytes, lengthBytes));
    }
    if (offsetBytes + lengthBytes < 0) {
      throw new IllegalArgumentException(
          "range at " + offsetBytes + " of length " + lengthBytes + " overflows 63 bits");
    }
  }

  /** Offset of the first byte after the range. */
  public long endBytes() {
    return offsetBytes + lengthBytes;
  }
}
