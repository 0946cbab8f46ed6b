package io.sluice.node.client;

import java.io.ByteArrayOutputStream;

/**
 * Numbers in as few bytes as they need: seven bits a byte, the lowest first, and the highest bit of
 * each but the last is set.
 *
 * <pre>
 *   0 .. 127            | value |
 *   128 .. 2^14-1       | 1 low 7 bits | next 7 bits |
 *   ...                 up to nine bytes, and ten for a negative number
 * </pre>
 *
 * <p>Thread contract: stateless. What it reads it has written: nothing is checked.
 */
final class PackedNumbers {
  private static final int BITS = 7;
  private static final int MORE = 1 << BITS;

  private PackedNumbers() {}

  /** Appends a number. */
  static void write(ByteArrayOutputStream out, long number) {
    long left = number;
    while (left >>> BITS != 0) {
      out.write((int) left & MORE - 1 | MORE);
      left >>>= BITS;
    }
    out.write((int) left);
  }

  /** The number that begins at this offset. */
  static long at(byte[] packed, int offset) {
    long number = 0;
    int shift = 0;
    int next = offset;
    while (packed[next] < 0) {
      number |= (long) (packed[next++] & MORE - 1) << shift;
      shift += BITS;
    }
    return number | (long) packed[next] << shift;
  }

  /** The offset behind so many numbers, of which the first begins at this offset. */
  static int behind(byte[] packed, int offset, int count) {
    int next = offset;
    for (int i = 0; i < count; i++) {
      while (packed[next++] < 0) {}
    }
    return next;
  }
}
