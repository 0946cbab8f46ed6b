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
  private static final int CHUNK_SHIFT = 56;

  private RawLengths() {}

  /** Both in one; a negative length, which none is, stays negative. */
  public static long pack(long rawLengthBytes, int chunkBytes) {
    return chunkBytes == 0
        ? rawLengthBytes
        : rawLengthBytes | (long) Integer.numberOfTrailingZeros(chunkBytes) << CHUNK_SHIFT;
  }

  /** That of the run. */
  public static long runBytes(long packed) {
    return packed & (1L << CHUNK_SHIFT) - 1;
  }

  /** That of its chunks; 0 without. */
  public static int chunkBytes(long packed) {
    int log = (int) (packed >>> CHUNK_SHIFT);
    return log == 0 ? 0 : 1 << Math.min(log, Integer.SIZE - 2); // whatever somebody sends
  }
}
