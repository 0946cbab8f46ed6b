package io.sluice.spark.read;

import io.sluice.node.client.NodeAddress;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.Transports;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spark.conf.SparkSettings;
import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.pool.Endpoint;
import io.sluice.spark.pool.ExecutorTransports;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Makes the readers of an executor's reducing tasks.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class PoolReaders {
  private static final int WINDOW_BYTES = 1 << 20;

  private final SparkConf conf;
  private final ExecutorTransports transports;
  private final Supplier<? extends Executor> fetchers;
  private final ShuffleCounters counters;

  /** Makes nothing yet. */
  public PoolReaders(
      SparkConf conf,
      ExecutorTransports transports,
      Supplier<? extends Executor> fetchers,
      ShuffleCounters counters) {
    this.conf = conf;
    this.transports = transports;
    this.fetchers = fetchers;
    this.counters = counters;
  }

  /** A reader whose client is closed when the task ends, if not before. */
  public <K, C> ShuffleReader<K, C> reader(
      ShuffleDependency<K, ?, C> dependency,
      int startMapIndex,
      int endMapIndex,
      int startPartition,
      int endPartition,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    SparkEnv env = SparkEnv.get();
    List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks = new ArrayList<>();
    CollectionConverters.asJava(
            env.mapOutputTracker()
                .getMapSizesByExecutorId(
                    dependency.shuffleId(),
                    startMapIndex,
                    endMapIndex,
                    startPartition,
                    endPartition))
        .forEachRemaining(blocks::add);
    Map<String, NodeAddress> pools = new HashMap<>();
    blocks.forEach(
        peer -> Endpoint.of(peer._1()).ifPresent(pool -> pools.put(peer._1().executorId(), pool)));
    PoolBlockClient client =
        new PoolBlockClient(
            env.blockManager().blockStoreClient(), newReader(), pools, fetchers.get(), counters);
    context.addTaskCompletionListener(
        task -> {
          client.close();
        });
    Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> iterator =
        CollectionConverters.asScala(blocks.iterator());
    return new PoolShuffleReader<>(
        dependency,
        iterator,
        client,
        context,
        metrics,
        SortShuffleManager.canUseBatchFetch(startPartition, endPartition, context));
  }

  private NodeReader newReader() {
    UnaryOperator<String> settings = SparkSettings.of(conf);
    List<TransportProvider> usable;
    try {
      usable = transports.bestFirst();
    } catch (TransportException e) {
      throw new UncheckedIOException("no transport to read with", e);
    }
    long budgetBytes = (long) SparkSettings.READ_BUFFER_MB.get(settings) << 20;
    return new NodeReader(
        conf.getAppId(),
        ApplicationSecret.of(conf),
        new Transports(usable, WINDOW_BYTES, budgetBytes),
        null,
        0,
        SparkSettings.IO_TIMEOUT_MS.get(settings));
  }
}
