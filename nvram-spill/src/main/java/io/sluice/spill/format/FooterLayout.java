package io.sluice.spill.format;

import io.sluice.spill.segment.Range;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;

/**
 * The layout of an output's tail: its {@link OutputIdentity} and, behind that, the location and the
 * trailer of its {@link LocationRecord}. The trailer ends where the last extent ends, so that a
 * recovering store finds it at the end of a block. All numbers are big-endian.
 *
 * <pre>
 *  the bytes of the output, in the order of its extents
 *   0        data length   I (x8)    I + index  D (x8)     D + identity
 *  +------+---------------+---------+----------+----------+ - - - - - - - - +----------+---------+
 *  | data | slack         | index   | 0 to 7   | identity | slack           | location | trailer |
 *  +------+---------------+---------+----------+----------+ - - - - - - - - +----------+---------+
 *  \------ the same wherever the output lies -------------/                     end of a block ^
 *
 *  identity
 *   0                               8               12              16
 *  +-------------------------------+---------------+---------------+
 *  | magic "SLUICEID"              | version       | CRC32C (*)    |
 *  +-------------------------------+---------------+---------------+ 16
 *  | generation of the writer      | data length                   |
 *  +-------------------------------+---------------+---------------+ 32
 *  | offset of the index, I        | index length  | CRC32C index  |
 *  +---------------+---------------+-------+-------+---------------+ 48
 *  | partitions    | runs          | a     | o     | 0             |
 *  +---------------+---------------+-------+-------+---------------+ 64
 *  | application id (a bytes), output id (o bytes), ASCII; zeros   |
 *  | up to a multiple of 8                                         |
 *  +---------------------------------------------------------------+
 *  (*) of all bytes behind it
 *
 *  location, in the last extent: 24 bytes for each extent, in their order
 *   0               4               8                               16              24
 *  +---------------+---------------+-------------------------------+---------------+
 *  | segment id    | 0             | offset                        | length        |
 *  +---------------+---------------+-------------------------------+---------------+
 *
 *  trailer
 *   0                               8               12              16
 *  +-------------------------------+---------------+---------------+
 *  | magic "SLUICEOF"              | version       | location len. |
 *  +-------------------------------+---------------+---------------+ 16
 *  | pool id                                                       |
 *  +---------------+---------------+-------------------------------+ 32
 *  | segment id    | CRC32C (*)    | offset of this trailer        |
 *  +---------------+---------------+-------------------------------+ 48
 *  | generation of the location    | offset of the identity, D     |
 *  +---------------+---------------+-------------------------------+ 64
 *  | identity len. | 0                                             |
 *  +---------------+---------------+-------------------------------+ 80
 *  | 0             | CRC32C (+)    | commit mark                   |
 *  +---------------+---------------+-------------------------------+ 96
 *  (*) that of the identity, again
 *  (+) of the location and of the trailer up to here
 * </pre>
 *
 * <p>The commit mark is 0 while the task writes. The store sets it, in one aligned store, after it
 * has checked everything, and clears it before it frees the blocks: an output without the right
 * mark does not exist. The mark depends on the CRC, and that on the identity's CRC, so that an old
 * mark never fits new bytes. A trailer holds its own offset: a copy of it elsewhere is not valid.
 * Fields drawn as 0 must be 0, so that each location has one encoding and one mark.
 */
public final class FooterLayout {
  /** Length of the trailer. */
  public static final int TRAILER_BYTES = 96;

  /** Where the commit mark lies in the trailer. */
  public static final int COMMIT_MARK_OFFSET = 88;

  /** Longest location and index: a forged length cannot exhaust a service's heap. */
  public static final int MAX_BYTES = 64 << 20;

  static final int VERSION = 5;
  static final int VERSION_OFFSET = 8;
  static final int MAGIC_OFFSET = 0;

  static final long IDENTITY_MAGIC = 0x534C554943454944L; // "SLUICEID"
  static final int IDENTITY_CRC_OFFSET = 12;
  static final int WRITER_GENERATION_OFFSET = 16;
  static final int DATA_LENGTH_OFFSET = 24;
  static final int INDEX_OFFSET_OFFSET = 32;
  static final int INDEX_LENGTH_OFFSET = 40;
  static final int INDEX_CRC_OFFSET = 44;
  static final int PARTITION_COUNT_OFFSET = 48;
  static final int RUN_COUNT_OFFSET = 52;
  static final int APPLICATION_ID_LENGTH_OFFSET = 56;
  static final int OUTPUT_ID_LENGTH_OFFSET = 58;
  static final int IDS_OFFSET = 64;

  static final int EXTENT_BYTES = 24;
  static final int RESERVED_OF_EXTENT_OFFSET = 4;

  static final long MAGIC = 0x534C554943454F46L; // "SLUICEOF"
  static final int LOCATION_LENGTH_OFFSET = 12;
  static final int POOL_ID_OFFSET = 16;
  static final int SEGMENT_ID_OFFSET = 32;
  static final int EXPECTED_IDENTITY_CRC_OFFSET = 36;
  static final int TRAILER_OFFSET_OFFSET = 40;
  static final int GENERATION_OFFSET = 48;
  static final int IDENTITY_OFFSET_OFFSET = 56;
  static final int IDENTITY_LENGTH_OFFSET = 64;
  static final int RESERVED_OFFSET = 68;
  static final int TRAILER_CRC_OFFSET = 84;

  private static final long COMMIT_SALT = 0x434F4D4D49545445L; // "COMMITTE"

  private FooterLayout() {}

  /** Length of the identity of an output with this id. */
  public static int identityBytes(OutputId id) {
    return identityBytes(id.applicationId().length() + id.outputId().length());
  }

  /** Length of an identity, by the length of both ids together. */
  static int identityBytes(int idsLength) {
    return (int) align8((long) IDS_OFFSET + idsLength);
  }

  /** Length of location and trailer together. */
  public static int locationBytes(int extentCount) {
    return Math.addExact(TRAILER_BYTES, Math.multiplyExact(extentCount, EXTENT_BYTES));
  }

  /** The first multiple of 8 at or behind an offset. */
  public static long align8(long lengthBytes) {
    return Math.addExact(lengthBytes, 7) & -8;
  }

  /** The mark that makes a trailer with this CRC a committed one; never 0. */
  static long commitMark(int trailerCrc32c) {
    return COMMIT_SALT ^ Integer.toUnsignedLong(trailerCrc32c);
  }

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

  /**
   * The location of an output, as it lies at the output's end; {@link FooterReader} reads it back.
   * It points to the {@link OutputIdentity}, which names the output.
   *
   * @param poolId the pool
   * @param location where this trailer lies
   * @param generation of the location; that of the writer, unless the output has been moved
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

    /** The mark that commits the output at this location, see {@link FooterLayout}. */
    public long commitMark() {
      ByteBuffer encoded = encode();
      return FooterLayout.commitMark(
          encoded.getInt(encoded.capacity() - TRAILER_BYTES + TRAILER_CRC_OFFSET));
    }

    /** Location and trailer as they go to the medium, not committed. */
    public ByteBuffer encode() {
      ByteBuffer buffer = ByteBuffer.allocate(FooterLayout.locationBytes(extents.size()));
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
      buffer.putInt(trailer + LOCATION_LENGTH_OFFSET, trailer);
      buffer.putLong(trailer + POOL_ID_OFFSET, poolId.getMostSignificantBits());
      buffer.putLong(trailer + POOL_ID_OFFSET + 8, poolId.getLeastSignificantBits());
      buffer.putInt(trailer + SEGMENT_ID_OFFSET, location.segmentId());
      buffer.putInt(trailer + EXPECTED_IDENTITY_CRC_OFFSET, identityCrc32c);
      buffer.putLong(trailer + TRAILER_OFFSET_OFFSET, location.trailerOffsetBytes());
      buffer.putLong(trailer + GENERATION_OFFSET, generation);
      buffer.putLong(trailer + IDENTITY_OFFSET_OFFSET, identityOffsetBytes);
      buffer.putInt(trailer + IDENTITY_LENGTH_OFFSET, identityLengthBytes);
      buffer.putInt(
          trailer + TRAILER_CRC_OFFSET,
          BlockChecksums.crc32c(buffer.array(), 0, trailer + TRAILER_CRC_OFFSET));
      return buffer;
    }
  }
}
