package io.sluice.spill.format;

import static io.sluice.spill.format.FooterLayout.APPLICATION_ID_LENGTH_OFFSET;
import static io.sluice.spill.format.FooterLayout.DATA_LENGTH_OFFSET;
import static io.sluice.spill.format.FooterLayout.IDENTITY_CRC_OFFSET;
import static io.sluice.spill.format.FooterLayout.IDENTITY_MAGIC;
import static io.sluice.spill.format.FooterLayout.IDS_OFFSET;
import static io.sluice.spill.format.FooterLayout.INDEX_CRC_OFFSET;
import static io.sluice.spill.format.FooterLayout.INDEX_LENGTH_OFFSET;
import static io.sluice.spill.format.FooterLayout.INDEX_OFFSET_OFFSET;
import static io.sluice.spill.format.FooterLayout.MAGIC_OFFSET;
import static io.sluice.spill.format.FooterLayout.OUTPUT_ID_LENGTH_OFFSET;
import static io.sluice.spill.format.FooterLayout.PARTITION_COUNT_OFFSET;
import static io.sluice.spill.format.FooterLayout.RUN_COUNT_OFFSET;
import static io.sluice.spill.format.FooterLayout.VERSION;
import static io.sluice.spill.format.FooterLayout.VERSION_OFFSET;
import static io.sluice.spill.format.FooterLayout.WRITER_GENERATION_OFFSET;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The part of a committed output's tail that is the same in every copy, byte for byte. Offsets
 * count through its extents, in their order. {@link FooterReader} reads it back; its location is a
 * {@link FooterLayout.LocationRecord}.
 *
 * @param id its name
 * @param writerGeneration of the lease that wrote it
 * @param partitionCount how many partitions the job has
 * @param runCount how many runs the index lists
 * @param dataLengthBytes bytes of all runs, which come first
 * @param indexOffsetBytes where the index begins, a multiple of 8
 * @param indexLengthBytes length of the index
 * @param indexCrc32c CRC32C of the index
 */
public record OutputIdentity(
    OutputId id,
    long writerGeneration,
    int partitionCount,
    int runCount,
    long dataLengthBytes,
    long indexOffsetBytes,
    int indexLengthBytes,
    int indexCrc32c) {
  /** As it goes to the medium. */
  public ByteBuffer encode() {
    byte[] applicationId = id.applicationId().getBytes(StandardCharsets.US_ASCII);
    byte[] outputId = id.outputId().getBytes(StandardCharsets.US_ASCII);
    ByteBuffer buffer = ByteBuffer.allocate(FooterLayout.identityBytes(id));
    buffer.putLong(MAGIC_OFFSET, IDENTITY_MAGIC);
    buffer.putInt(VERSION_OFFSET, VERSION);
    buffer.putLong(WRITER_GENERATION_OFFSET, writerGeneration);
    buffer.putLong(DATA_LENGTH_OFFSET, dataLengthBytes);
    buffer.putLong(INDEX_OFFSET_OFFSET, indexOffsetBytes);
    buffer.putInt(INDEX_LENGTH_OFFSET, indexLengthBytes);
    buffer.putInt(INDEX_CRC_OFFSET, indexCrc32c);
    buffer.putInt(PARTITION_COUNT_OFFSET, partitionCount);
    buffer.putInt(RUN_COUNT_OFFSET, runCount);
    buffer.putShort(APPLICATION_ID_LENGTH_OFFSET, (short) applicationId.length);
    buffer.putShort(OUTPUT_ID_LENGTH_OFFSET, (short) outputId.length);
    buffer.put(IDS_OFFSET, applicationId);
    buffer.put(IDS_OFFSET + applicationId.length, outputId);
    buffer.putInt(IDENTITY_CRC_OFFSET, crc32c(buffer));
    return buffer;
  }

  /** The stamp with which its writer commits it. */
  public OutputStamp stamp() {
    return new OutputStamp(id, writerGeneration, crc32c());
  }

  /** The CRC32C in the encoded identity; identities that differ in a field differ in it. */
  public int crc32c() {
    return encode().getInt(IDENTITY_CRC_OFFSET);
  }

  /** Of an encoded identity: of all bytes behind the CRC's own. */
  static int crc32c(ByteBuffer encoded) {
    int from = IDENTITY_CRC_OFFSET + Integer.BYTES;
    return BlockChecksums.crc32c(encoded.array(), from, encoded.capacity() - from);
  }

  /**
   * The identity of an output as its writer states it at the commit. It is enough to find the
   * output again after a move.
   *
   * @param id its name
   * @param writerGeneration of the lease that wrote it
   * @param identityCrc32c {@link OutputIdentity#crc32c()}
   */
  public record OutputStamp(OutputId id, long writerGeneration, int identityCrc32c) {}
}
