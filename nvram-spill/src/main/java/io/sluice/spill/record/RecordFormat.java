package io.sluice.spill.record;

import java.nio.ByteBuffer;

/**
 * The bytes of a run: Hadoop's IFile without its checksum, so that what a map task wrote, a reducer
 * parses wherever it comes from.
 *
 * <pre>
 *   run    = record* end
 *
 *   record = +---------------+-----------------+-----------+-------------+
 *            | vint keyBytes | vint valueBytes | key bytes | value bytes |
 *            +---------------+-----------------+-----------+-------------+
 *            0               1..5              2..10       ..            encodedLength
 *
 *   end    = +---------+---------+
 *            | vint -1 | vint -1 |    0xff 0xff, nothing may follow
 *            +---------+---------+
 * </pre>
 *
 * <p>Thread contract: stateless.
 */
public final class RecordFormat {
  /** The longest header of a record. */
  public static final int MAX_HEADER_BYTES = 2 * VInt.MAX_BYTES;

  /** Length of the end marker. */
  public static final int END_BYTES = 2;

  /** Both "lengths" of the end marker. */
  public static final int END_MARK = -1;

  private RecordFormat() {}

  /** Bytes in front of a record's key. */
  public static int headerLength(int keyLengthBytes, int valueLengthBytes) {
    return VInt.size(keyLengthBytes) + VInt.size(valueLengthBytes);
  }

  /** Bytes of a whole record; more than an int only when no buffer could hold the record. */
  public static long encodedLength(int keyLengthBytes, int valueLengthBytes) {
    return (long) headerLength(keyLengthBytes, valueLengthBytes)
        + keyLengthBytes
        + valueLengthBytes;
  }

  /** Writes a record's header and returns the offset of its key. */
  public static int putHeader(byte[] dst, int offset, int keyLengthBytes, int valueLengthBytes) {
    return VInt.put(dst, VInt.put(dst, offset, keyLengthBytes), valueLengthBytes);
  }

  /** Writes a record's header at an absolute offset and returns the offset of its key. */
  public static int putHeader(
      ByteBuffer dst, int offset, int keyLengthBytes, int valueLengthBytes) {
    return VInt.put(dst, VInt.put(dst, offset, keyLengthBytes), valueLengthBytes);
  }

  /** Writes the end marker and returns the offset behind it. */
  public static int putEnd(byte[] dst, int offset) {
    return putHeader(dst, offset, END_MARK, END_MARK);
  }

  /** Writes the end marker at an absolute offset and returns the offset behind it. */
  public static int putEnd(ByteBuffer dst, int offset) {
    return putHeader(dst, offset, END_MARK, END_MARK);
  }
}
