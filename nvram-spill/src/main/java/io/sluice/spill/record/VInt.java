package io.sluice.spill.record;

import java.nio.ByteBuffer;

/**
 * Hadoop's zero-compressed integer, as {@code WritableUtils.writeVInt} lays it out, for the values
 * a run contains: lengths from 0 to {@link Integer#MAX_VALUE}, and -1.
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
 * <p>Thread contract: stateless. Failure: the methods that read return {@link #MALFORMED} for every
 * other first byte (larger or negative numbers), and leave the message to the reader, who knows the
 * run and the position.
 */
public final class VInt {
  /** The longest encoding of a length. */
  public static final int MAX_BYTES = 5;

  /** What {@link #get} answers for bytes that are neither a length nor -1. */
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
