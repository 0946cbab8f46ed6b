package io.sluice.bench.memory;

/**
 * The memory of a measured node.
 *
 * @param baseBytes what daemons, ApplicationMaster and two tasks need without shuffling anything
 * @param shuffleBytes what there is besides: for sort buffers, outputs, windows and page cache
 */
public record NodeMemory(long baseBytes, long shuffleBytes) {
  static final long MIB = 1L << 20;

  /**
   * The intermediate data of a job, measured where memory is ample.
   *
   * @param bytes of all map outputs, as stock writes them
   * @param collectedBytes keys and values before any combiner, which a sort buffer has to hold
   * @param records the same, counted
   * @param maps how many make them
   */
  public record Intermediate(long bytes, long collectedBytes, long records, int maps) {
    private static final int ACCOUNTING_BYTES = 16; // stock's, of each record in its sort buffer

    /** The sort buffer that takes all of one map's records. */
    long sortBytesOfMap() {
      return (collectedBytes + ACCOUNTING_BYTES * records) / maps;
    }
  }

  /** Enough for a share of what a job shuffles. */
  static NodeMemory of(long baseBytes, Intermediate data, double fraction) {
    return new NodeMemory(baseBytes, Math.round(data.bytes() * fraction));
  }

  /** The limit of all processes and their page cache. */
  public long limitBytes() {
    return baseBytes + shuffleBytes;
  }

  /** A size in MiB, rounded down, and at least so many. */
  static int mib(double bytes, int atLeast) {
    return (int) Math.max(atLeast, Math.min(Integer.MAX_VALUE, Math.floor(bytes / MIB)));
  }
}
