package io.sluice.spark.read;

import io.sluice.spark.engine.JoinableStreams;
import io.sluice.spark.engine.SparkShims;
import java.io.InputStream;
import org.apache.spark.Aggregator;
import org.apache.spark.InterruptibleIterator;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.config.package$;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockFetcherIterator;
import org.apache.spark.util.CompletionIterator;
import org.apache.spark.util.SystemClock;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Function1;
import scala.Option;
import scala.Product2;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.IterableOnce;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.runtime.BoxedUnit;

/**
 * Reads a range of partitions as Spark's own reader does. It uses Spark's own iterator over fetched
 * blocks, with its limits, retries, checks and metrics. Only the client that fetches blocks is
 * Sluice's.
 *
 * <p>Thread contract: the task's thread. Ownership: it closes the client once everything is read,
 * because a task may make thousands of readers, one per partition. Otherwise the end of the task
 * closes it.
 */
public final class SluiceShuffleReader<K, C> implements ShuffleReader<K, C> {
  private final ShuffleDependency<K, Object, C> dependency;
  private final Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks;
  private final PeerBlockClient client;
  private final TaskContext context;
  private final ShuffleReadMetricsReporter metrics;
  private final boolean mayBatch;
  private final DamageReport damage = new DamageReport();

  /**
   * Reads nothing yet.
   *
   * @param mayBatch whether Spark would fetch neighbouring partitions as one block
   */
  @SuppressWarnings("unchecked")
  SluiceShuffleReader(
      ShuffleDependency<K, ?, C> dependency,
      Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks,
      PeerBlockClient client,
      TaskContext context,
      ShuffleReadMetricsReporter metrics,
      boolean mayBatch) {
    this.dependency = (ShuffleDependency<K, Object, C>) dependency;
    this.blocks = blocks;
    this.client = client;
    this.context = context;
    this.metrics = metrics;
    this.mayBatch = mayBatch;
  }

  @Override
  @SuppressWarnings("unchecked")
  public Iterator<Product2<K, C>> read() {
    SerializerInstance serializer = dependency.serializer().newInstance();
    // The lambda has no type that Scala 2.13 alone has.
    Function1<Tuple2<BlockId, InputStream>, Iterator<Tuple2<Object, Object>>> ofBlock =
        block ->
            serializer.deserializeStream(damage.over(block._1(), block._2())).asKeyValueIterator();
    Iterator<Tuple2<Object, Object>> records =
        fetched()
            .flatMap(
                (Function1<Tuple2<BlockId, InputStream>, IterableOnce<Tuple2<Object, Object>>>)
                    (Function1<?, ?>) ofBlock)
            .map(
                record -> {
                  metrics.incRecordsRead(1);
                  return record;
                });
    Iterator<Tuple2<Object, Object>> measured =
        CompletionIterator.apply(
            records,
            () -> {
              context.taskMetrics().mergeShuffleReadMetrics();
              client.close();
              return BoxedUnit.UNIT;
            });
    // Interruptible on both sides: an aggregator or a sorter reads everything before it gives
    // anything.
    Iterator<Product2<K, C>> result = combined(new InterruptibleIterator<>(context, measured));
    return result instanceof InterruptibleIterator
        ? result
        : new InterruptibleIterator<>(context, result);
  }

  private Iterator<Tuple2<BlockId, InputStream>> fetched() {
    SparkEnv env = SparkEnv.get();
    SparkConf conf = env.conf();
    package$ config = package$.MODULE$;
    return new ShuffleBlockFetcherIterator(
            context,
            client,
            env.blockManager(),
            env.mapOutputTracker(),
            damage.watch(blocks),
            (id, stream) -> env.serializerManager().wrapStream(id, stream),
            (long) conf.get(config.REDUCER_MAX_SIZE_IN_FLIGHT()) << 20,
            (int) conf.get(config.REDUCER_MAX_REQS_IN_FLIGHT()),
            (int) conf.get(config.REDUCER_MAX_BLOCKS_IN_FLIGHT_PER_ADDRESS()),
            (long) conf.get(config.MAX_REMOTE_BLOCK_SIZE_FETCH_TO_MEM()),
            (int) conf.get(config.SHUFFLE_MAX_ATTEMPTS_ON_NETTY_OOM()),
            (boolean) conf.get(config.SHUFFLE_DETECT_CORRUPT()),
            (boolean) conf.get(config.SHUFFLE_DETECT_CORRUPT_MEMORY()),
            (boolean) conf.get(config.SHUFFLE_CHECKSUM_ENABLED()),
            conf.get(config.SHUFFLE_CHECKSUM_ALGORITHM()),
            metrics,
            batches(conf),
            new SystemClock())
        .toCompletionIterator();
  }

  /**
   * Whether several partitions of one output may come as one block: their streams must then read as
   * one.
   */
  private boolean batches(SparkConf conf) {
    return mayBatch
        && JoinableStreams.of(conf, dependency)
        && !(boolean) conf.get(package$.MODULE$.SHUFFLE_USE_OLD_FETCH_PROTOCOL());
  }

  @SuppressWarnings("unchecked")
  private Iterator<Product2<K, C>> combined(Iterator<Tuple2<Object, Object>> records) {
    Option<Aggregator<K, Object, C>> aggregator = dependency.aggregator();
    if (dependency.keyOrdering().isDefined()) {
      ExternalSorter<K, Object, C> sorter =
          SparkShims.sorter(
              context, sortersAggregator(), dependency.keyOrdering(), dependency.serializer());
      return sorter.insertAllAndUpdateMetrics(
          (Iterator<Product2<K, Object>>) (Iterator<?>) records);
    }
    if (aggregator.isEmpty()) {
      return (Iterator<Product2<K, C>>) (Iterator<?>) records;
    }
    return (Iterator<Product2<K, C>>)
        (Iterator<?>)
            (dependency.mapSideCombine()
                ? aggregator
                    .get()
                    .combineCombinersByKey(
                        (Iterator<Product2<K, C>>) (Iterator<?>) records, context)
                : aggregator
                    .get()
                    .combineValuesByKey(
                        (Iterator<Product2<K, Object>>) (Iterator<?>) records, context));
  }

  /** Merges combiners if the map side has combined records. */
  @SuppressWarnings("unchecked")
  private Option<Aggregator<K, Object, C>> sortersAggregator() {
    Option<Aggregator<K, Object, C>> aggregator = dependency.aggregator();
    if (aggregator.isEmpty() || !dependency.mapSideCombine()) {
      return aggregator;
    }
    return (Option<Aggregator<K, Object, C>>)
        (Option<?>)
            Option.apply(
                new Aggregator<K, C, C>(
                    combiner -> combiner,
                    aggregator.get().mergeCombiners(),
                    aggregator.get().mergeCombiners()));
  }
}
