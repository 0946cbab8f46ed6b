package io.sluice.spill.format;

import static io.sluice.spill.format.FooterLayout.EXPECTED_IDENTITY_CRC_OFFSET;
import static io.sluice.spill.format.FooterLayout.EXTENT_BYTES;
import static io.sluice.spill.format.FooterLayout.IDENTITY_LENGTH_OFFSET;
import static io.sluice.spill.format.FooterLayout.IDENTITY_OFFSET_OFFSET;
import static io.sluice.spill.format.FooterLayout.MAGIC;
import static io.sluice.spill.format.FooterLayout.MAGIC_OFFSET;
import static io.sluice.spill.format.FooterLayout.PLACE_CRC_OFFSET;
import static io.sluice.spill.format.FooterLayout.PLACE_GENERATION_OFFSET;
import static io.sluice.spill.format.FooterLayout.PLACE_LENGTH_OFFSET;
import static io.sluice.spill.format.FooterLayout.POOL_ID_OFFSET;
import static io.sluice.spill.format.FooterLayout.SEGMENT_ID_OFFSET;
import static io.sluice.spill.format.FooterLayout.TRAILER_BYTES;
import static io.sluice.spill.format.FooterLayout.TRAILER_OFFSET_OFFSET;
import static io.sluice.spill.format.FooterLayout.VERSION;
import static io.sluice.spill.format.FooterLayout.VERSION_OFFSET;

import io.sluice.spill.segment.Range;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;

/**
 * Where an output lies, as the place and the trailer at its end say; {@link FooterReader} reads it
 * back. Which output it is says the {@link OutputIdentity} that it points to.
 *
 * @param poolId the pool
 * @param location where this trailer lies
 * @param generation of the place; that of the writer, unless the output has been moved
 * @param extents all extents of the output, in logical order; the trailer ends the last one
 * @param identityOffsetBytes where the identity begins among the bytes of the extents
 * @param identityLengthBytes its length
 * @param identityCrc32c {@link OutputIdentity#crc32c()}
 */
public record LocationRecord(
    UUID poolId,
    FooterLocation location,
    long generation,
    List<Range> extents,
    long identityOffsetBytes,
    int identityLengthBytes,
    int identityCrc32c) {

  /** The mark that commits the output at this place, see {@link FooterLayout}. */
  public long commitMark() {
    ByteBuffer encoded = encode();
    return FooterLayout.commitMark(
        encoded.getInt(encoded.capacity() - TRAILER_BYTES + PLACE_CRC_OFFSET));
  }

  /** Place and trailer as they go to the medium, not committed. */
  public ByteBuffer encode() {
    ByteBuffer buffer = ByteBuffer.allocate(FooterLayout.placeBytes(extents.size()));
    int trailer = buffer.capacity() - TRAILER_BYTES;
    int offset = 0;
    for (Range extent : extents) {
      buffer.putInt(offset, extent.segmentId());
      buffer.putLong(offset + 8, extent.offsetBytes());
      buffer.putLong(offset + 16, extent.lengthBytes());
      offset += EXTENT_BYTES;
    }
    buffer.putLong(trailer + MAGIC_OFFSET, MAGIC);
    buffer.putInt(trailer + VERSION_OFFSET, VERSION);
    buffer.putInt(trailer + PLACE_LENGTH_OFFSET, trailer);
    buffer.putLong(trailer + POOL_ID_OFFSET, poolId.getMostSignificantBits());
    buffer.putLong(trailer + POOL_ID_OFFSET + 8, poolId.getLeastSignificantBits());
    buffer.putInt(trailer + SEGMENT_ID_OFFSET, location.segmentId());
    buffer.putInt(trailer + EXPECTED_IDENTITY_CRC_OFFSET, identityCrc32c);
    buffer.putLong(trailer + TRAILER_OFFSET_OFFSET, location.trailerOffsetBytes());
    buffer.putLong(trailer + PLACE_GENERATION_OFFSET, generation);
    buffer.putLong(trailer + IDENTITY_OFFSET_OFFSET, identityOffsetBytes);
    buffer.putInt(trailer + IDENTITY_LENGTH_OFFSET, identityLengthBytes);
    buffer.putInt(
        trailer + PLACE_CRC_OFFSET,
        BlockChecksums.crc32c(buffer.array(), 0, trailer + PLACE_CRC_OFFSET));
    return buffer;
  }
}
