package io.sluice.spark.write;

import io.sluice.spark.pool.ExecutorTransports;

/** How long the pieces are in which partitions go to the pool. */
final class PieceLength {
  /** The pieces of all partitions together stay near the processor. */
  private static final int ALL_BYTES = 4 << 20;

  /** Less would cost readers more requests than it saves writers. */
  private static final int SHORTEST_BYTES = 64 << 10;

  /** What readers fetch at a time. */
  private static final int LONGEST_BYTES = ExecutorTransports.WINDOW_BYTES;

  private PieceLength() {}

  /** For a writer that fills the pieces of so many partitions side by side. */
  static int of(int partitionCount) {
    return Math.max(SHORTEST_BYTES, Math.min(LONGEST_BYTES, ALL_BYTES / partitionCount));
  }
}
