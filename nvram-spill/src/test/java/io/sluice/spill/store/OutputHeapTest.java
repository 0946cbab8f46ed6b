package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class OutputHeapTest extends PoolTestBase {
  private static final int PARTITIONS = 10_000;

  /** 4 bytes for each partition would be 40,000. */
  @Test
  void theHeapOfAnOutputDoesNotGrowWithItsPartitions() throws Exception {
    long bytes = OutputHeap.bytesPerOutput(pool(), 200, PARTITIONS);
    assertTrue(bytes < 10_000, bytes + " bytes for each output of " + PARTITIONS + " partitions");
  }
}
