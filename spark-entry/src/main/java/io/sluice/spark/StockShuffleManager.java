package io.sluice.spark;

import io.sluice.spark.SluiceShuffleManager.SluiceShuffleHandle;
import io.sluice.spark.conf.SparkFallbackPolicy;
import io.sluice.spark.entry.Java17;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spark's own shuffle, where Java is too old for Sluice. The driver may have a newer Java than this
 * executor and have given a shuffle to Sluice: it is Spark's here all the same, since all executors
 * find out alike.
 *
 * <p>Thread contract: safe from any thread. Ownership: that of {@link SluiceShuffleManager}.
 * Failure: {@link IllegalStateException} if the application's {@link SparkFallbackPolicy} does not
 * let Spark take over.
 */
final class StockShuffleManager extends SortShuffleManager {
  private static final Logger LOG = LoggerFactory.getLogger(StockShuffleManager.class);

  private final SparkFallbackPolicy fallback;

  StockShuffleManager(SparkConf conf, boolean isDriver) {
    super(conf);
    fallback = SparkFallbackPolicy.of(conf);
    LOG.warn(
        isDriver
            ? "Sluice leaves this application to Spark: {}"
            : "This executor has no Sluice pool, its tasks write files as Spark does: {}",
        Java17.reason());
  }

  @Override
  public <K, V, C> ShuffleHandle registerShuffle(
      int shuffleId, ShuffleDependency<K, V, C> dependency) {
    fallback.permit(Java17.reason(), null);
    return super.registerShuffle(shuffleId, dependency);
  }

  @Override
  @SuppressWarnings("unchecked")
  public <K, V> ShuffleWriter<K, V> getWriter(
      ShuffleHandle handle, long mapId, TaskContext context, ShuffleWriteMetricsReporter metrics) {
    ShuffleHandle stock =
        handle instanceof SluiceShuffleHandle
            ? registerShuffle(
                handle.shuffleId(), ((SluiceShuffleHandle<K, V, ?>) handle).dependency())
            : handle;
    return super.getWriter(stock, mapId, context, metrics);
  }
}
