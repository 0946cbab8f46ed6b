package io.sluice.spill.format;

/**
 * How long a run and its chunks are before compression, in one number: so an index, an answer and
 * whoever holds many runs have no more to hold for the runs that have chunks.
 *
 * <pre>
 *   63      56 55                                                0
 *  +----------+---------------------------------------------------+
 *  | c        | raw length of the run                             |
 *  +----------+---------------------------------------------------+
 *  c: 0 without chunks, else the binary logarithm of the raw length of all of them but the last
 * </pre>
 */
public final class RawLengths {
  /** No chunk has more raw bytes: whoever merges runs has memory for so many. */
  public static final int MOST_CHUNK_BYTES = 256 << 10;

  private static final int CHUNK_SHIFT = 56;
  private static final int MOST_LOG = Integer.numberOfTrailingZeros(MOST_CHUNK_BYTES);

  private RawLengths() {}

  /**
   * Both in one.
   *
   * @param chunkBytes a power of two, at least 2, or 0 without chunks
   */
  public static long pack(long rawLengthBytes, int chunkBytes) {
    int log = chunkBytes == 0 ? 0 : Integer.numberOfTrailingZeros(chunkBytes);
    if (chunkBytes != 0 && (log == 0 || 1 << log != chunkBytes)
        || rawLengthBytes >>> CHUNK_SHIFT != 0) {
      throw new IllegalArgumentException(
          "a run of " + rawLengthBytes + " bytes in chunks of " + chunkBytes);
    }
    return rawLengthBytes | (long) log << CHUNK_SHIFT;
  }

  /** Whether {@link #pack} can have made it: it may be read from a damaged place, or sent. */
  public static boolean areValid(long packed) {
    return packed >>> CHUNK_SHIFT <= MOST_LOG;
  }

  /** That of the run. */
  public static long runBytes(long valid) {
    return valid & (1L << CHUNK_SHIFT) - 1;
  }

  /** That of its chunks; 0 without. */
  public static int chunkBytes(long valid) {
    int log = (int) (valid >>> CHUNK_SHIFT);
    return log == 0 ? 0 : 1 << log;
  }
}
