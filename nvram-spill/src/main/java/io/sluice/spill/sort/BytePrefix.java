package io.sluice.spill.sort;

/**
 * The prefix of keys that order byte by byte, shorter first.
 *
 * <pre>
 *   63                                   8 7             0
 *   +-------------------------------------+---------------+
 *   | first 7 bytes, padded with zeroes   | min(length,8) |
 *   +-------------------------------------+---------------+
 * </pre>
 *
 * <p>The length in the low byte keeps {@code "a"} before {@code "a\0"}, and makes equal prefixes of
 * keys up to 7 bytes proof that the keys are equal: short words are never compared in full. The
 * prefix of level n is that of the bytes from 7n on.
 *
 * <p>Thread contract: stateless.
 */
public final class BytePrefix {
  /** Key bytes in a prefix. */
  public static final int KEY_BYTES = 7;

  /** Levels worth having: keys that agree in 56 bytes are compared in full. */
  public static final int LEVELS = 8;

  private static final int LONGER = KEY_BYTES + 1;

  private BytePrefix() {}

  /** The prefix of the {@code length} bytes at {@code offset}. */
  public static long of(byte[] b, int offset, int length) {
    if (length > KEY_BYTES) {
      return (b[offset] & 0xffL) << 56
          | (b[offset + 1] & 0xffL) << 48
          | (b[offset + 2] & 0xffL) << 40
          | (b[offset + 3] & 0xffL) << 32
          | (b[offset + 4] & 0xffL) << 24
          | (b[offset + 5] & 0xffL) << 16
          | (b[offset + 6] & 0xffL) << 8
          | LONGER;
    }
    long prefix = length;
    for (int i = 0; i < length; i++) {
      prefix |= (b[offset + i] & 0xffL) << 56 - 8 * i;
    }
    return prefix;
  }

  /** The prefix of a further level, of bytes whose prefixes before it do not decide. */
  public static long of(byte[] b, int offset, int length, int level) {
    int skipped = level * KEY_BYTES;
    return of(b, offset + skipped, length - skipped);
  }

  /** Whether two keys with this prefix are equal. */
  public static boolean decides(long prefix) {
    return (prefix & 0xff) != LONGER;
  }
}
