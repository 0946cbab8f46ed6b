package io.sluice.spark.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.remote.PartitionRange;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BlockRangeTest {
  @Test
  void readsBlocksAndBatchesOfThem() {
    assertEquals(
        Optional.of(new BlockRange("shuffle_3_17_5", 3, 17, new PartitionRange(5, 6))),
        BlockRange.of("shuffle_3_17_5"));
    assertEquals(
        Optional.of(new BlockRange("shuffle_3_17_5_9", 3, 17, new PartitionRange(5, 9))),
        BlockRange.of("shuffle_3_17_5_9"));
    for (String id : List.of("shuffle_3_17_5", "shuffle_3_17_5_9")) {
      assertEquals("shuffle_3_17", BlockRange.of(id).orElseThrow().output());
    }
  }

  @Test
  void leavesEverythingElseToSpark() {
    assertEquals(Optional.empty(), BlockRange.of("rdd_1_2"));
    assertEquals(Optional.empty(), BlockRange.of("shuffleChunk_1_2_3_4"));
    assertEquals(Optional.empty(), BlockRange.of("shuffle_3_17_5_5"), "no partition");
  }
}
