package io.sluice.spill.format;

import java.nio.ByteBuffer;

/**
 * The bytes of a run: Hadoop's IFile without its checksum. A reducer parses runs of map tasks in
 * the same way wherever they come from.
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

  /**
   * Hadoop's zero-compressed integer, as {@code WritableUtils.writeVInt} lays it out, for the
   * values a run contains: lengths from 0 to {@link Integer#MAX_VALUE}, and -1.
   *
   * <pre>
   *   value            bytes
   *   -1 .. 127        | value |
   *   128 .. 2^8-1     | -113  | b0 |
   *   2^8 .. 2^16-1    | -114  | b1 b0 |                most significant byte first
   *   2^16 .. 2^24-1   | -115  | b2 b1 b0 |
   *   2^24 .. 2^31-1   | -116  | b3 b2 b1 b0 |
   * </pre>
   *
   * <p>Thread contract: stateless. Failure: the methods that read return {@link #MALFORMED} for
   * every other first byte (larger or negative numbers). The message is the reader's, which knows
   * the run and the position.
   */
  public static final class VInt {
    /** The longest encoding of a length. */
    public static final int MAX_BYTES = 5;

    /** The answer of {@link #get} for bytes that are neither a length nor -1. */
    public static final int MALFORMED = Integer.MIN_VALUE;

    private static final int SINGLE_BYTE_MIN = -112;
    private static final int FOUR_BYTES = -116;

    private VInt() {}

    /** Bytes that {@code value}, a length or -1, takes. */
    public static int size(int value) {
      if (value <= 127) {
        return 1;
      }
      return 5 - (Integer.numberOfLeadingZeros(value) >> 3);
    }

    /** Bytes of the encoding that begins with {@code first}; {@link #get} tells if it is one. */
    public static int sizeAt(byte first) {
      return first >= SINGLE_BYTE_MIN || first < FOUR_BYTES ? 1 : SINGLE_BYTE_MIN + 1 - first;
    }

    /** Writes a length or -1 and returns the offset behind it. */
    public static int put(byte[] dst, int offset, int value) {
      if (value <= 127) {
        dst[offset] = (byte) value;
        return offset + 1;
      }
      int at = offset;
      int bytes = size(value) - 1;
      dst[at++] = (byte) (SINGLE_BYTE_MIN - bytes);
      for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
        dst[at++] = (byte) (value >>> shift);
      }
      return at;
    }

    /** Writes a length or -1 at an absolute offset and returns the offset behind it. */
    public static int put(ByteBuffer dst, int offset, int value) {
      if (value <= 127) {
        dst.put(offset, (byte) value);
        return offset + 1;
      }
      int at = offset;
      int bytes = size(value) - 1;
      dst.put(at++, (byte) (SINGLE_BYTE_MIN - bytes));
      for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
        dst.put(at++, (byte) (value >>> shift));
      }
      return at;
    }

    /** Reads a length or -1; all {@link #sizeAt} bytes must be there. */
    public static int get(byte[] src, int offset) {
      int first = src[offset];
      if (first >= SINGLE_BYTE_MIN) {
        return first >= -1 ? first : MALFORMED;
      }
      if (first < FOUR_BYTES) {
        return MALFORMED;
      }
      int value = 0;
      for (int i = 1; i <= SINGLE_BYTE_MIN - first; i++) {
        value = value << 8 | src[offset + i] & 0xff;
      }
      return value >= 0 ? value : MALFORMED;
    }

    /** Reads a length or -1 at an absolute offset; all {@link #sizeAt} bytes must be there. */
    public static int get(ByteBuffer src, int offset) {
      int first = src.get(offset);
      if (first >= SINGLE_BYTE_MIN) {
        return first >= -1 ? first : MALFORMED;
      }
      if (first < FOUR_BYTES) {
        return MALFORMED;
      }
      int value = 0;
      for (int i = 1; i <= SINGLE_BYTE_MIN - first; i++) {
        value = value << 8 | src.get(offset + i) & 0xff;
      }
      return value >= 0 ? value : MALFORMED;
    }
  }
}
