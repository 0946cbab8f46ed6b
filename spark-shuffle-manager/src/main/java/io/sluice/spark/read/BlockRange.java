package io.sluice.spark.read;

import io.sluice.node.client.NodeRun;
import io.sluice.spark.pool.BlockNames;
import java.util.Optional;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockId$;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;

/**
 * The partitions of one map task's output that a block id names.
 *
 * @param blockId as Spark spells it
 * @param output name of the output in a pool
 * @param firstPartition the first partition
 * @param endPartition the one after the last
 */
record BlockRange(String blockId, String output, int firstPartition, int endPartition) {

  /** Whether a run of the output belongs to the block. */
  boolean contains(NodeRun run) {
    return firstPartition <= run.partition() && run.partition() < endPartition;
  }

  /** The range that a block id names; empty if it is no block of a shuffle. */
  static Optional<BlockRange> of(String blockId) {
    BlockId id = BlockId$.MODULE$.apply(blockId);
    if (id instanceof ShuffleBlockId one) {
      return Optional.of(
          new BlockRange(
              blockId,
              BlockNames.output(one.shuffleId(), one.mapId()),
              one.reduceId(),
              one.reduceId() + 1));
    }
    if (id instanceof ShuffleBlockBatchId batch) {
      return Optional.of(
          new BlockRange(
              blockId,
              BlockNames.output(batch.shuffleId(), batch.mapId()),
              batch.startReduceId(),
              batch.endReduceId()));
    }
    return Optional.empty();
  }
}
