package io.sluice.spark.read;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class BlockRangeTest {
  @Test
  void readsBlocksAndBatchesOfThem() {
    assertEquals(
        Optional.of(new BlockRange("shuffle_3_17_5", "shuffle_3_17", 5, 6)),
        BlockRange.of("shuffle_3_17_5"));
    assertEquals(
        Optional.of(new BlockRange("shuffle_3_17_5_9", "shuffle_3_17", 5, 9)),
        BlockRange.of("shuffle_3_17_5_9"));
  }

  @Test
  void leavesEverythingElseToSpark() {
    assertEquals(Optional.empty(), BlockRange.of("rdd_1_2"));
    assertEquals(Optional.empty(), BlockRange.of("shuffleChunk_1_2_3_4"));
  }
}
