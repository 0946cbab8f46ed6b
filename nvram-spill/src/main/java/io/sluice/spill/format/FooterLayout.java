package io.sluice.spill.format;

/**
 * Where the fields of an output's tail lie. The index, the footer and the trailer lie in the last
 * extent of the output, and the trailer ends where the extent ends, so that a recovering store
 * finds it by looking at the end of every block. All numbers are big-endian.
 *
 * <pre>
 *  last extent
 *  +--------------+-------+-----------+--------+---------+
 *  | data or none | index | slack ... | footer | trailer |
 *  +--------------+-------+-----------+--------+---------+
 *                                               end of a block ^
 *
 *  footer (its length is in the trailer)
 *   0        4          6       8                8+a+o   (rounded up to 8)
 *  +--------+----------+-------+----------------+--------+-----------------------------------+
 *  | extent | a: appl. | o: id | ids, ASCII     | zeros  | extents x 24 bytes                |
 *  | count  | id length| length| (a + o bytes)  |        | {segment id 4, 0 4, off 8, len 8} |
 *  +--------+----------+-------+----------------+--------+-----------------------------------+
 *
 *  trailer (96 bytes)
 *   0                               8               12              16
 *  +-------------------------------+---------------+---------------+
 *  | magic "SLUICEOF"              | version       | footer length |
 *  +-------------------------------+---------------+---------------+ 16
 *  | pool id                                                       |
 *  +---------------+---------------+-------------------------------+ 32
 *  | segment id    | partitions    | offset of this trailer        |
 *  +---------------+---------------+-------------------------------+ 48
 *  | generation                    | offset of the index           |
 *  +---------------+---------------+-------------------------------+ 64
 *  | index length  | CRC32C index  | data length (logical)         |
 *  +---------------+---------------+-------------------------------+ 80
 *  | run count     | CRC32C (*)    | commit mark                   |
 *  +---------------+---------------+-------------------------------+ 96
 *  (*) of the footer and of the trailer up to here
 * </pre>
 *
 * <p>The commit mark is 0 while the task writes. The store sets it, in one aligned store, after it
 * has checked everything, and clears it before it frees the blocks: an output without the right
 * mark does not exist. The mark depends on the CRC, so that a mark left behind never fits new
 * bytes.
 */
public final class FooterLayout {
  /** Length of the trailer. */
  public static final int TRAILER_BYTES = 96;

  /** Where the commit mark lies in the trailer. */
  public static final int COMMIT_MARK_OFFSET = 88;

  /** Longest footer and longest index, so that a forged length cannot exhaust a service's heap. */
  public static final int MAX_BYTES = 64 << 20;

  static final long MAGIC = 0x534C554943454F46L; // "SLUICEOF"
  static final int VERSION = 3;

  static final int EXTENT_COUNT_OFFSET = 0;
  static final int APPLICATION_ID_LENGTH_OFFSET = 4;
  static final int OUTPUT_ID_LENGTH_OFFSET = 6;
  static final int IDS_OFFSET = 8;
  static final int EXTENT_BYTES = 24;

  static final int MAGIC_OFFSET = 0;
  static final int VERSION_OFFSET = 8;
  static final int FOOTER_LENGTH_OFFSET = 12;
  static final int POOL_ID_OFFSET = 16;
  static final int SEGMENT_ID_OFFSET = 32;
  static final int PARTITION_COUNT_OFFSET = 36;
  static final int TRAILER_OFFSET_OFFSET = 40;
  static final int GENERATION_OFFSET = 48;
  static final int INDEX_OFFSET_OFFSET = 56;
  static final int INDEX_LENGTH_OFFSET = 64;
  static final int INDEX_CRC_OFFSET = 68;
  static final int DATA_LENGTH_OFFSET = 72;
  static final int RUN_COUNT_OFFSET = 80;
  static final int FOOTER_CRC_OFFSET = 84;

  private static final long COMMIT_SALT = 0x434F4D4D49545445L; // "COMMITTE"

  private FooterLayout() {}

  /** Bytes of the ids and of the head of the footer, rounded up to 8. */
  static int headBytes(int applicationIdLength, int outputIdLength) {
    return align8(IDS_OFFSET + applicationIdLength + outputIdLength);
  }

  /** Bytes of footer and trailer together. */
  public static int encodedBytes(OutputId id, int extentCount) {
    return Math.addExact(
        headBytes(id.applicationId().length(), id.outputId().length()) + TRAILER_BYTES,
        Math.multiplyExact(extentCount, EXTENT_BYTES));
  }

  /** The mark that makes a trailer with this CRC a committed one; never 0. */
  static long commitMark(int footerCrc32c) {
    return COMMIT_SALT ^ Integer.toUnsignedLong(footerCrc32c);
  }

  static int align8(int length) {
    return Math.addExact(length, 7) & -8;
  }
}
