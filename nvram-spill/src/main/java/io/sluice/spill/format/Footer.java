package io.sluice.spill.format;

import io.sluice.spill.segment.Range;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * What the tail of an output says about it; {@link FooterReader} reads it back.
 *
 * @param poolId the pool it was written for
 * @param location where its own trailer lies
 * @param generation of the lease that wrote it
 * @param id name of the output
 * @param partitionCount how many partitions the job has
 * @param runCount how many runs the index lists
 * @param dataLengthBytes logical bytes of all runs
 * @param indexOffsetBytes where the index lies in the segment of the trailer
 * @param indexLengthBytes length of the index
 * @param indexCrc32c CRC32C of the index
 * @param extents all extents of the output, in logical order; the trailer ends the last one
 */
public record Footer(
    UUID poolId,
    FooterLocation location,
    long generation,
    OutputId id,
    int partitionCount,
    int runCount,
    long dataLengthBytes,
    long indexOffsetBytes,
    int indexLengthBytes,
    int indexCrc32c,
    List<Range> extents) {

  /** What of it is the same wherever the output lies. */
  public OutputIdentity identity() {
    long lastStartBytes = 0;
    for (Range extent : extents.subList(0, extents.size() - 1)) {
      lastStartBytes += extent.lengthBytes();
    }
    long indexInLastBytes = indexOffsetBytes - extents.get(extents.size() - 1).offsetBytes();
    return new OutputIdentity(
        id,
        generation,
        partitionCount,
        runCount,
        dataLengthBytes,
        lastStartBytes + indexInLastBytes,
        indexLengthBytes,
        indexCrc32c);
  }

  /** The mark that commits this footer, see {@link FooterLayout}. */
  public long commitMark() {
    ByteBuffer encoded = encode();
    return FooterLayout.commitMark(
        encoded.getInt(
            encoded.limit() - FooterLayout.TRAILER_BYTES + FooterLayout.FOOTER_CRC_OFFSET));
  }

  /** Footer and trailer as they go to the medium, not committed. */
  public ByteBuffer encode() {
    ByteBuffer buffer = ByteBuffer.allocate(FooterLayout.encodedBytes(id, extents.size()));
    int trailer = buffer.capacity() - FooterLayout.TRAILER_BYTES;
    putFooter(buffer);
    putTrailer(buffer, trailer);
    CRC32C crc = new CRC32C();
    crc.update(buffer.array(), 0, trailer + FooterLayout.FOOTER_CRC_OFFSET);
    buffer.putInt(trailer + FooterLayout.FOOTER_CRC_OFFSET, (int) crc.getValue());
    return buffer;
  }

  private void putFooter(ByteBuffer buffer) {
    byte[] applicationId = id.applicationId().getBytes(StandardCharsets.US_ASCII);
    byte[] outputId = id.outputId().getBytes(StandardCharsets.US_ASCII);
    buffer.putInt(FooterLayout.EXTENT_COUNT_OFFSET, extents.size());
    buffer.putShort(FooterLayout.APPLICATION_ID_LENGTH_OFFSET, (short) applicationId.length);
    buffer.putShort(FooterLayout.OUTPUT_ID_LENGTH_OFFSET, (short) outputId.length);
    buffer.put(FooterLayout.IDS_OFFSET, applicationId);
    buffer.put(FooterLayout.IDS_OFFSET + applicationId.length, outputId);
    int offset = FooterLayout.headBytes(applicationId.length, outputId.length);
    for (Range extent : extents) {
      buffer.putInt(offset, extent.segmentId());
      buffer.putLong(offset + 8, extent.offsetBytes());
      buffer.putLong(offset + 16, extent.lengthBytes());
      offset += FooterLayout.EXTENT_BYTES;
    }
  }

  private void putTrailer(ByteBuffer buffer, int trailer) {
    buffer.putLong(trailer + FooterLayout.MAGIC_OFFSET, FooterLayout.MAGIC);
    buffer.putInt(trailer + FooterLayout.VERSION_OFFSET, FooterLayout.VERSION);
    buffer.putInt(trailer + FooterLayout.FOOTER_LENGTH_OFFSET, trailer);
    buffer.putLong(trailer + FooterLayout.POOL_ID_OFFSET, poolId.getMostSignificantBits());
    buffer.putLong(trailer + FooterLayout.POOL_ID_OFFSET + 8, poolId.getLeastSignificantBits());
    buffer.putInt(trailer + FooterLayout.SEGMENT_ID_OFFSET, location.segmentId());
    buffer.putInt(trailer + FooterLayout.PARTITION_COUNT_OFFSET, partitionCount);
    buffer.putLong(trailer + FooterLayout.TRAILER_OFFSET_OFFSET, location.trailerOffsetBytes());
    buffer.putLong(trailer + FooterLayout.GENERATION_OFFSET, generation);
    buffer.putLong(trailer + FooterLayout.INDEX_OFFSET_OFFSET, indexOffsetBytes);
    buffer.putInt(trailer + FooterLayout.INDEX_LENGTH_OFFSET, indexLengthBytes);
    buffer.putInt(trailer + FooterLayout.INDEX_CRC_OFFSET, indexCrc32c);
    buffer.putLong(trailer + FooterLayout.DATA_LENGTH_OFFSET, dataLengthBytes);
    buffer.putInt(trailer + FooterLayout.RUN_COUNT_OFFSET, runCount);
  }
}
