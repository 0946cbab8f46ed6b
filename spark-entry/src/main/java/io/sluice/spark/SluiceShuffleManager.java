package io.sluice.spark;

import io.sluice.spark.entry.Java17;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.shuffle.sort.SortShuffleManager;

/**
 * Moves the shuffles of a Spark application through memory and RDMA: {@code
 * spark.shuffle.manager=io.sluice.spark.SluiceShuffleManager}. It is the name that Spark loads;
 * {@code PoolShuffleManager} does the work, or {@link StockShuffleManager} where Java is older than
 * 17. All are of the type of Spark's own manager, because Spark's SQL engine and its diagnosis of
 * corrupt blocks ask for that.
 *
 * <p>Thread contract: safe from any thread. Ownership: Spark makes and stops it, one on the driver
 * and one on each executor. Failure: that of the manager behind it.
 */
public final class SluiceShuffleManager extends SortShuffleManager {
  private final SortShuffleManager chosen;

  /** Called by Spark. */
  public SluiceShuffleManager(SparkConf conf, boolean isDriver) {
    super(conf);
    chosen =
        Java17.make(SortShuffleManager.class, "io.sluice.spark.PoolShuffleManager", conf, isDriver)
            .orElseGet(() -> new StockShuffleManager(conf, isDriver));
  }

  /** What does the work. */
  SortShuffleManager chosen() {
    return chosen;
  }

  @Override
  public IndexShuffleBlockResolver shuffleBlockResolver() {
    return chosen.shuffleBlockResolver();
  }

  @Override
  public <K, V, C> ShuffleHandle registerShuffle(
      int shuffleId, ShuffleDependency<K, V, C> dependency) {
    return chosen.registerShuffle(shuffleId, dependency);
  }

  @Override
  public <K, V> ShuffleWriter<K, V> getWriter(
      ShuffleHandle handle, long mapId, TaskContext context, ShuffleWriteMetricsReporter metrics) {
    return chosen.getWriter(handle, mapId, context, metrics);
  }

  @Override
  public <K, C> ShuffleReader<K, C> getReader(
      ShuffleHandle handle,
      int startMapIndex,
      int endMapIndex,
      int startPartition,
      int endPartition,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    return chosen.getReader(
        handle, startMapIndex, endMapIndex, startPartition, endPartition, context, metrics);
  }

  @Override
  public boolean unregisterShuffle(int shuffleId) {
    return chosen.unregisterShuffle(shuffleId);
  }

  @Override
  public void stop() {
    chosen.stop();
  }

  @Override
  public String toString() {
    return chosen.toString();
  }

  /** A shuffle that goes through pools. Any other handle is one of Spark's own. */
  static final class SluiceShuffleHandle<K, V, C> extends BaseShuffleHandle<K, V, C> {
    private static final long serialVersionUID = 1;

    SluiceShuffleHandle(int shuffleId, ShuffleDependency<K, V, C> dependency) {
      super(shuffleId, dependency);
    }
  }
}
