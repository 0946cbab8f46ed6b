package io.sluice.bench.memory;

/**
 * The memory of a measured node.
 *
 * @param baseBytes what daemons, ApplicationMaster and two tasks need without shuffling anything
 * @param shuffleBytes what there is besides: for sort buffers, outputs, windows and page cache
 */
public record NodeMemory(long baseBytes, long shuffleBytes) {
  static final long MIB = 1L << 20;

  /** Enough for a share of what a job shuffles. */
  static NodeMemory of(long baseBytes, Intermediate data, double fraction) {
    return new NodeMemory(baseBytes, Math.round(data.bytes() * fraction));
  }

  /** What all processes and their page cache may have. */
  public long limitBytes() {
    return baseBytes + shuffleBytes;
  }

  /** A size in MiB, rounded down, and at least so many. */
  static int mib(double bytes, int atLeast) {
    return (int) Math.max(atLeast, Math.min(Integer.MAX_VALUE, Math.floor(bytes / MIB)));
  }
}
