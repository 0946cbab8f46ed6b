package io.sluice.spill.sort;

/**
 * The order of one job's serialized keys, split so that most comparisons compare two longs.
 *
 * <ul>
 *   <li>{@link #compare} is the whole truth: a total preorder of serialized keys.
 *   <li>If {@link #hasPrefix}, then {@code Long.compareUnsigned(prefix(a), prefix(b))} has the sign
 *       of {@code compare(a, b)} whenever the prefixes differ.
 *   <li>If the prefixes are equal and {@link #decides} says so, {@code compare(a, b) == 0}.
 *   <li>If not {@link #hasPrefix}, neither prefixes nor {@link #decides} are ever called.
 *   <li>An order may have prefixes of further levels, that go on where the first ends: for keys
 *       whose prefixes of all levels before are equal and undecided, the same two laws hold for the
 *       next. They sort long keys that begin alike without comparing them in full.
 * </ul>
 *
 * <p>Thread contract: every thread that sorts or merges has an instance of its own, since the
 * comparators of jobs keep state. Failure: an exception of a job's comparator passes through the
 * sort or merge unchanged; the records being sorted are then lost with their buffer.
 */
public interface KeyOrder {
  /** Compares two serialized keys. */
  int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength);

  /** Whether this order has prefixes at all. */
  boolean hasPrefix();

  /** The first 64 bits of the order, to be compared as an unsigned number. */
  long prefix(byte[] key, int offset, int length);

  /** How many levels of prefixes there are. */
  default int prefixLevels() {
    return 1;
  }

  /**
   * The prefix of a further level, of a key whose prefixes before it are undecided.
   *
   * @param level from 1 to {@link #prefixLevels} - 1
   */
  default long prefix(byte[] key, int offset, int length, int level) {
    throw new UnsupportedOperationException("prefix of level " + level + ", expected only level 0");
  }

  /** Whether two keys with this prefix are certainly equal. */
  boolean decides(long prefix);

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
   * <p>The length in the low byte keeps {@code "a"} before {@code "a\0"}, and makes equal prefixes
   * of keys up to 7 bytes proof that the keys are equal: short words are never compared in full.
   * The prefix of level n is that of the bytes from 7n on.
   *
   * <p>Thread contract: stateless.
   */
  final class BytePrefix {
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
}
