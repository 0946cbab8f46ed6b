package io.sluice.spill.format;

/**
 * Where the fields of an output's tail lie: of what it is ({@link OutputIdentity}) and, behind it,
 * of where it lies ({@link LocationRecord}). The trailer ends where the last extent ends, so that a
 * recovering store finds it by looking at the end of every block. All numbers are big-endian.
 *
 * <pre>
 *  the bytes of the output, in the order of its extents
 *   0        data length   I (x8)    I + index  D (x8)     D + identity
 *  +------+---------------+---------+----------+----------+ - - - - - - - - +-------+---------+
 *  | data | slack         | index   | 0 to 7   | identity | slack           | place | trailer |
 *  +------+---------------+---------+----------+----------+ - - - - - - - - +-------+---------+
 *  \------ the same wherever the output lies -------------/                  end of a block ^
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
 *  place, in the last extent: extents x 24 bytes, in their order
 *   0               4               8                               16              24
 *  +---------------+---------------+-------------------------------+---------------+
 *  | segment id    | 0             | offset                        | length        |
 *  +---------------+---------------+-------------------------------+---------------+
 *
 *  trailer
 *   0                               8               12              16
 *  +-------------------------------+---------------+---------------+
 *  | magic "SLUICEOF"              | version       | place length  |
 *  +-------------------------------+---------------+---------------+ 16
 *  | pool id                                                       |
 *  +---------------+---------------+-------------------------------+ 32
 *  | segment id    | CRC32C (*)    | offset of this trailer        |
 *  +---------------+---------------+-------------------------------+ 48
 *  | generation of the place       | offset of the identity, D     |
 *  +---------------+---------------+-------------------------------+ 64
 *  | identity len. | 0                                             |
 *  +---------------+---------------+-------------------------------+ 80
 *  | 0             | CRC32C (+)    | commit mark                   |
 *  +---------------+---------------+-------------------------------+ 96
 *  (*) that of the identity, again
 *  (+) of the place and of the trailer up to here
 * </pre>
 *
 * <p>The commit mark is 0 while the task writes. The store sets it, in one aligned store, after it
 * has checked everything, and clears it before it frees the blocks: an output without the right
 * mark does not exist. The mark depends on the CRC, and that on the identity's, so that a mark left
 * behind never fits new bytes. A trailer says where it lies itself: a copy of one is none. What is
 * drawn as 0 is 0, so that there is one encoding of each place, and one mark.
 */
public final class FooterLayout {
  /** Length of the trailer. */
  public static final int TRAILER_BYTES = 96;

  /** Where the commit mark lies in the trailer. */
  public static final int COMMIT_MARK_OFFSET = 88;

  /** Longest place and longest index, so that a forged length cannot exhaust a service's heap. */
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
  static final int PLACE_LENGTH_OFFSET = 12;
  static final int POOL_ID_OFFSET = 16;
  static final int SEGMENT_ID_OFFSET = 32;
  static final int EXPECTED_IDENTITY_CRC_OFFSET = 36;
  static final int TRAILER_OFFSET_OFFSET = 40;
  static final int PLACE_GENERATION_OFFSET = 48;
  static final int IDENTITY_OFFSET_OFFSET = 56;
  static final int IDENTITY_LENGTH_OFFSET = 64;
  static final int RESERVED_OFFSET = 68;
  static final int PLACE_CRC_OFFSET = 84;

  private static final long COMMIT_SALT = 0x434F4D4D49545445L; // "COMMITTE"

  private FooterLayout() {}

  /** Length of the identity of an output of that name. */
  public static int identityBytes(OutputId id) {
    return identityBytes(id.applicationId().length() + id.outputId().length());
  }

  /** The same by the length of both ids together. */
  static int identityBytes(int idsLength) {
    return (int) align8((long) IDS_OFFSET + idsLength);
  }

  /** Bytes of place and trailer together. */
  public static int placeBytes(int extentCount) {
    return Math.addExact(TRAILER_BYTES, Math.multiplyExact(extentCount, EXTENT_BYTES));
  }

  /** Where what must be aligned begins, behind so many bytes. */
  public static long align8(long lengthBytes) {
    return Math.addExact(lengthBytes, 7) & -8;
  }

  /** The mark that makes a trailer with this CRC a committed one; never 0. */
  static long commitMark(int placeCrc32c) {
    return COMMIT_SALT ^ Integer.toUnsignedLong(placeCrc32c);
  }
}
