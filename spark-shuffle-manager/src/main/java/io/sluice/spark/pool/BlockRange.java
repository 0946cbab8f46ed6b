package io.sluice.spark.pool;

import io.sluice.node.remote.PartitionRange;
import java.util.Optional;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockId$;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;

/**
 * The partitions of one map task's output that a block id names, and the names of outputs in pools.
 *
 * @param blockId as Spark spells it
 * @param shuffleId the shuffle of the output
 * @param mapId the map task's attempt that wrote it
 * @param partitions the partitions
 */
public record BlockRange(String blockId, int shuffleId, long mapId, PartitionRange partitions) {

  /** The range that a block id names; empty if it is no block of a shuffle, or names none. */
  public static Optional<BlockRange> of(String blockId) {
    return of(BlockId$.MODULE$.apply(blockId));
  }

  /** The same from Spark's object. */
  public static Optional<BlockRange> of(BlockId id) {
    if (id instanceof ShuffleBlockId one) {
      PartitionRange partition = PartitionRange.one(one.reduceId());
      return Optional.of(new BlockRange(id.name(), one.shuffleId(), one.mapId(), partition));
    }
    if (id instanceof ShuffleBlockBatchId batch && batch.startReduceId() < batch.endReduceId()) {
      PartitionRange some = new PartitionRange(batch.startReduceId(), batch.endReduceId());
      return Optional.of(new BlockRange(id.name(), batch.shuffleId(), batch.mapId(), some));
    }
    return Optional.empty();
  }

  /** Whether a run of this partition of the output belongs to the block. */
  public boolean contains(int partition) {
    return partitions.first() <= partition && partition < partitions.end();
  }

  /** Name of the output in a pool. */
  public String output() {
    return output(shuffleId, mapId);
  }

  /** Name of one map task's output in a pool. */
  public static String output(int shuffleId, long mapId) {
    return outputsOf(shuffleId) + mapId;
  }

  /** The common prefix of the names of a shuffle's outputs. */
  public static String outputsOf(int shuffleId) {
    return "shuffle_" + shuffleId + "_";
  }

  /** The output that has this name. */
  static ShuffleBlockInfo parse(String output) {
    String[] parts = output.split("_");
    return new ShuffleBlockInfo(Integer.parseInt(parts[1]), Long.parseLong(parts[2]));
  }
}
