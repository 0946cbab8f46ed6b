package io.sluice.spill.format;

/**
 * The sorted records of one partition that one spill wrote; a partition has as many runs as spills
 * had records for it. With the id of its output it names the bytes, but not their location, which
 * is a {@link LocatedRun.RunLocation}. Equal runs of one output have the same bytes.
 *
 * @param partition the reducer it is for
 * @param ordinal its number among the runs of its partition, from 0 on
 * @param lengthBytes length as stored
 * @param rawLengthBytes the same before compression
 * @param chunkBytes raw length of the chunks, of a power of two bytes, that were each compressed by
 *     itself; 0 without
 * @param records how many records
 * @param checksums of the bytes as they are stored, block by block
 */
public record Run(
    int partition,
    int ordinal,
    long lengthBytes,
    long rawLengthBytes,
    int chunkBytes,
    long records,
    BlockChecksums checksums) {
  /**
   * The lengths of a run and of its chunks before compression, packed into one number: an index, an
   * answer and a list of many runs need no second number for runs that have chunks.
   *
   * <pre>
   *   63      56 55                                                0
   *  +----------+---------------------------------------------------+
   *  | c        | raw length of the run                             |
   *  +----------+---------------------------------------------------+
   *  c: 0 without chunks, else the binary logarithm of the raw length of all of them but the last
   * </pre>
   */
  public static final class RawLengths {
    /** Longest chunk before compression: a merge has memory for one of this length. */
    public static final int MOST_CHUNK_BYTES = 256 << 10;

    private static final int CHUNK_SHIFT = 56;
    private static final int MOST_LOG = Integer.numberOfTrailingZeros(MOST_CHUNK_BYTES);

    private RawLengths() {}

    /**
     * Packs both lengths.
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

    /**
     * Whether {@link #pack} can have made it: a packed number from a medium or a peer may be
     * damaged.
     */
    public static boolean areValid(long packed) {
      return packed >>> CHUNK_SHIFT <= MOST_LOG;
    }

    /** Raw length of the run. */
    public static long runBytes(long valid) {
      return valid & (1L << CHUNK_SHIFT) - 1;
    }

    /** Raw length of its chunks; 0 without. */
    public static int chunkBytes(long valid) {
      int log = (int) (valid >>> CHUNK_SHIFT);
      return log == 0 ? 0 : 1 << log;
    }
  }
}
