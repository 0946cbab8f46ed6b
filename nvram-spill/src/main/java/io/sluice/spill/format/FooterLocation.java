package io.sluice.spill.format;

/**
 * Where the trailer of an output lies: the last {@link FooterLayout#TRAILER_BYTES} of a block.
 *
 * @param segmentId the segment
 * @param trailerOffsetBytes first byte of the trailer
 */
public record FooterLocation(int segmentId, long trailerOffsetBytes) {
  /** Offset of the first byte behind the trailer, where its block ends. */
  public long endBytes() {
    return trailerOffsetBytes + FooterLayout.TRAILER_BYTES;
  }
}
