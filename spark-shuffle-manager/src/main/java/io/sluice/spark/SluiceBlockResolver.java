package io.sluice.spark;

import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.pool.ExecutorPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;
import scala.Option;

/**
 * Finds blocks in this executor's pool, for its own tasks and for peers that ask through Spark, and
 * all others where Spark's own writers put them.
 *
 * <p>Thread contract: safe from any thread.
 */
final class SluiceBlockResolver extends IndexShuffleBlockResolver {
  private final Supplier<Optional<ExecutorPool>> pool;
  private final ShuffleCounters counters;

  /** {@code pool} gives the pool if it was opened. */
  SluiceBlockResolver(
      SparkConf conf, Supplier<Optional<ExecutorPool>> pool, ShuffleCounters counters) {
    super(conf);
    this.pool = pool;
    this.counters = counters;
  }

  @Override
  public ManagedBuffer getBlockData(BlockId id, Option<String[]> directories) {
    Optional<? extends ManagedBuffer> found = Optional.empty();
    try {
      if (id instanceof ShuffleBlockId block) {
        found = find(block.shuffleId(), block.mapId(), block.reduceId(), block.reduceId() + 1);
      } else if (id instanceof ShuffleBlockBatchId batch) {
        found = find(batch.shuffleId(), batch.mapId(), batch.startReduceId(), batch.endReduceId());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(id + " cannot be read from the pool", e);
    }
    if (found.isEmpty()) {
      return super.getBlockData(id, directories);
    }
    if (TaskContext.get() != null) { // else a peer asks, who counts what it gets
      counters.read(ShuffleCounters.OWN_POOL, found.get().size());
    }
    return found.get();
  }

  private Optional<? extends ManagedBuffer> find(int shuffleId, long mapId, int first, int end)
      throws IOException {
    Optional<ExecutorPool> opened = pool.get();
    return opened.isEmpty() ? Optional.empty() : opened.get().block(shuffleId, mapId, first, end);
  }
}
