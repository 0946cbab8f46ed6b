package io.sluice.spark;

import io.sluice.spark.pool.ExecutorPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.SparkConf;
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

  /** {@code pool} gives the pool if it was opened. */
  SluiceBlockResolver(SparkConf conf, Supplier<Optional<ExecutorPool>> pool) {
    super(conf);
    this.pool = pool;
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
    return found.isPresent() ? found.get() : super.getBlockData(id, directories);
  }

  private Optional<? extends ManagedBuffer> find(int shuffleId, long mapId, int first, int end)
      throws IOException {
    Optional<ExecutorPool> opened = pool.get();
    return opened.isEmpty() ? Optional.empty() : opened.get().block(shuffleId, mapId, first, end);
  }
}
