package io.sluice.spark.write;

/** How long the pieces are in which partitions go to the pool. */
final class PartitionChunkLength {
  /** The pieces of all partitions together stay near the processor. */
  private static final int ALL_BYTES = 4 << 20;

  /** Less would cost readers more requests than it saves writers. */
  private static final int SHORTEST_BYTES = 64 << 10;

  /** G1 takes an array of half a region, 512 KiB at the least, as a reason to collect. */
  private static final int LONGEST_BYTES = 256 << 10;

  private PartitionChunkLength() {}

  /** For a writer that fills the pieces of so many partitions side by side. */
  static int of(int partitionCount) {
    return Math.max(SHORTEST_BYTES, Math.min(LONGEST_BYTES, ALL_BYTES / partitionCount));
  }
}
