package io.sluice.spark;

import io.sluice.rdma.memory.Closer;
import io.sluice.spark.SluiceShuffleManager.SluiceShuffleHandle;
import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spark.conf.SparkFallbackPolicy;
import io.sluice.spark.conf.SparkSettings;
import io.sluice.spark.engine.SparkRelease;
import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.pool.ExecutorPool;
import io.sluice.spark.pool.OutputTarget;
import io.sluice.spark.read.ShuffleReaders;
import io.sluice.spark.service.SluiceDataIO;
import io.sluice.spark.write.DirectWriter;
import io.sluice.spark.write.SortingWriter;
import io.sluice.spark.write.SortingWriter.FittingCodecs;
import io.sluice.spark.write.StreamMemory;
import io.sluice.spill.store.StoreStats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleManager;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.apache.spark.util.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the shuffles of a Spark application through memory and RDMA, and leaves others to the
 * manager that it extends, Spark's own. {@link SluiceShuffleManager} makes it.
 *
 * <p>Thread contract: safe from any thread. Ownership: that of {@link SluiceShuffleManager}.
 * Failure: {@link IllegalStateException} if a shuffle cannot be moved and the application's {@link
 * SparkFallbackPolicy} does not let Spark take over.
 */
public final class PoolShuffleManager extends SortShuffleManager {
  private static final Logger LOG = LoggerFactory.getLogger(PoolShuffleManager.class);

  private static final String READ_HOST_LOCAL_DISK = "spark.shuffle.readHostLocalDisk";

  /**
   * With more partitions, a stream for each costs more than sorting. Measured with 2 million
   * records in 4 tasks: as much CPU for up to 200 partitions, 1.3 times as much for 400, twice for
   * 800.
   */
  private static final int MOST_DIRECT_PARTITIONS = 200;

  private final SparkConf conf;
  private final Optional<String> declined;
  private final SparkFallbackPolicy fallback;
  private final FittingCodecs codecs;
  private final ExecutorSide executor;
  private final ShuffleReaders readers;
  private final OutputResolver outputs;
  private final IndexShuffleBlockResolver resolver;

  /** Its class's only constructor, which is looked up by that. */
  PoolShuffleManager(SparkConf conf, boolean isDriver) {
    super(conf);
    this.conf = conf;
    Optional<String> unknownShape = SparkRelease.unknownShape();
    declined = unknownShape.or(() -> ApplicationEligibility.declineReason(conf));
    SparkSettings.check(conf);
    fallback = SparkFallbackPolicy.of(conf);
    if (isDriver && declined.isEmpty()) {
      ApplicationSecret.create(conf);
      leaveNoFilesToRead(conf);
      SparkSettings.nodeService(conf)
          .ifPresent(
              service -> {
                conf.setIfMissing(SparkSettings.SERVICE.name(), service); // executors read it
                conf.setIfMissing(ApplicationEligibility.IO_PLUGIN, SluiceDataIO.class.getName());
              });
    } else if (isDriver) {
      LOG.warn("Sluice leaves this application to Spark: {}", declined.get());
    }
    codecs = new FittingCodecs(conf);
    executor = new ExecutorSide(conf);
    readers = new ShuffleReaders(executor.peers(), executor::nodeReads, executor.counters());
    outputs = new OutputResolver(super.shuffleBlockResolver(), executor, declined.isEmpty());
    resolver = unknownShape.isPresent() ? super.shuffleBlockResolver() : ownResolver();
  }

  private IndexShuffleBlockResolver ownResolver() {
    return SparkRelease.isSpark3() ? spark3Resolver() : spark4Resolver();
  }

  /** In a method of its own: what checks the others' types in Spark 3 would load its class. */
  private IndexShuffleBlockResolver spark4Resolver() {
    return new SluiceBlockResolver(conf, outputs);
  }

  /** By name, because its class is compiled with Spark 3.5, and this one with Spark 4. */
  private IndexShuffleBlockResolver spark3Resolver() {
    try {
      return (IndexShuffleBlockResolver)
          Class.forName("io.sluice.spark.Spark35BlockResolver")
              .getDeclaredConstructor(SparkConf.class, OutputResolver.class)
              .newInstance(conf, outputs);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(
          "this Spark 3 is not like Spark 3.5; unset spark.shuffle.manager to use Spark's own", e);
    }
  }

  /**
   * Makes Spark ask executors of the same host for blocks, because outputs in pools are no files
   * that it could read.
   */
  private static void leaveNoFilesToRead(SparkConf conf) {
    if (conf.getBoolean(READ_HOST_LOCAL_DISK, false)) {
      LOG.warn(
          "{} is set to false: map outputs are not in files that another executor could read",
          READ_HOST_LOCAL_DISK);
    }
    conf.set(READ_HOST_LOCAL_DISK, "false");
  }

  /** The one behind a manager of Spark's; empty if that is not Sluice's. */
  public static Optional<PoolShuffleManager> behind(ShuffleManager manager) {
    return manager instanceof SluiceShuffleManager entry
            && entry.chosen() instanceof PoolShuffleManager pools
        ? Optional.of(pools)
        : Optional.empty();
  }

  /** Bytes read, by source, and fallbacks to Spark. */
  public ShuffleCounters counters() {
    return executor.counters();
  }

  /** Why it leaves the application to Spark; empty if it does not. */
  Optional<String> declined() {
    return declined;
  }

  /** The transports that this executor serves over, best first; none before the first use. */
  List<String> transports() {
    return executor.transports().found();
  }

  /** How full this executor's pool is; empty if it has none. */
  public Optional<StoreStats> poolStats() {
    return executor.openedPool().map(ExecutorPool::stats);
  }

  @Override
  public IndexShuffleBlockResolver shuffleBlockResolver() {
    return resolver;
  }

  @Override
  public <K, V, C> ShuffleHandle registerShuffle(
      int shuffleId, ShuffleDependency<K, V, C> dependency) {
    if (declined.isPresent()) {
      fallback.permit(declined.get(), null);
      executor.counters().declined(declined.get());
      return super.registerShuffle(shuffleId, dependency);
    }
    if (!isDirect(dependency) && !SortingWriter.canWrite(conf, dependency)) {
      String reason =
          "more than "
              + MOST_DIRECT_PARTITIONS
              + " partitions whose streams cannot be cut and joined";
      fallback.permit(reason, null);
      executor.counters().fellBack(reason);
      return super.registerShuffle(shuffleId, dependency);
    }
    return new SluiceShuffleHandle<>(shuffleId, dependency);
  }

  @Override
  @SuppressWarnings("unchecked")
  public <K, V> ShuffleWriter<K, V> getWriter(
      ShuffleHandle handle, long mapId, TaskContext context, ShuffleWriteMetricsReporter metrics) {
    if (!(handle instanceof SluiceShuffleHandle)) {
      return super.getWriter(handle, mapId, context, metrics);
    }
    ShuffleDependency<K, V, ?> dependency = ((SluiceShuffleHandle<K, V, ?>) handle).dependency();
    Optional<? extends OutputTarget> pool = executor.outputPool();
    if (pool.isEmpty()) {
      context.killTaskIfInterrupted();
      return stocks(handle, dependency, mapId, context, metrics);
    }
    boolean canSort = SortingWriter.canWrite(conf, dependency);
    if (isDirect(dependency)
        && (StreamMemory.tryTake(conf, dependency, context)
            || !canSort && fallback == SparkFallbackPolicy.NEVER)) {
      return new DirectWriter<>(pool.get(), dependency, mapId, context, metrics);
    }
    if (canSort) {
      return new SortingWriter<>(pool.get(), dependency, mapId, context, metrics, codecs);
    }
    executor.counters().fellBack("a task without memory for a stream of each partition");
    return stocks(handle, dependency, mapId, context, metrics);
  }

  /**
   * The writer that stock's manager takes for this handle. Another one would be wrong: a sorting
   * writer keeps references to records, and Spark SQL reuses its row objects unless the handle
   * tells it to copy.
   */
  private <K, V> ShuffleWriter<K, V> stocks(
      ShuffleHandle handle,
      ShuffleDependency<K, V, ?> dependency,
      long mapId,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics) {
    ShuffleHandle stock = super.registerShuffle(handle.shuffleId(), dependency);
    return super.getWriter(stock, mapId, context, metrics);
  }

  private static boolean isDirect(ShuffleDependency<?, ?, ?> dependency) {
    return dependency.partitioner().numPartitions() <= MOST_DIRECT_PARTITIONS;
  }

  @Override
  @SuppressWarnings("unchecked")
  public <K, C> ShuffleReader<K, C> getReader(
      ShuffleHandle handle,
      int startMapIndex,
      int endMapIndex,
      int startPartition,
      int endPartition,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    if (!(handle instanceof SluiceShuffleHandle)) {
      return super.getReader(
          handle, startMapIndex, endMapIndex, startPartition, endPartition, context, metrics);
    }
    executor.beginReports();
    return readers.reader(
        ((SluiceShuffleHandle<K, ?, C>) handle).dependency(),
        startMapIndex,
        endMapIndex,
        startPartition,
        endPartition,
        context,
        metrics);
  }

  @Override
  public boolean unregisterShuffle(int shuffleId) {
    try {
      Closer.all(
          () -> outputs.free(shuffleId),
          () -> executor.free(shuffleId),
          () -> super.unregisterShuffle(shuffleId));
    } catch (IOException e) {
      throw new UncheckedIOException("shuffle " + shuffleId + " could not be freed", e);
    }
    return true;
  }

  @Override
  public void stop() {
    LOG.info("{}", this);
    try {
      Closer.all(super::stop, executor);
    } catch (IOException e) {
      throw new UncheckedIOException("the pool of this executor could not be closed", e);
    }
  }

  /** Bytes and fallbacks so far, for the log. */
  @Override
  public String toString() {
    ShuffleCounters counters = executor.counters();
    return "Sluice read %s bytes, took over %s bytes, and left to Spark: %s"
        .formatted(counters.bytesByWay(), counters.movedHereBytes(), counters.fallbacks());
  }

  /** Decides whether Sluice can shuffle an application. */
  public static final class ApplicationEligibility {
    /**
     * Names the class that writes shuffle files and tells the driver whether they survive
     * executors.
     */
    public static final String IO_PLUGIN = "spark.shuffle.sort.io.plugin.class";

    /** Spark's default for it. Sluice sets a class of its own. */
    private static final String STOCK_IO_PLUGIN =
        "org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO";

    private ApplicationEligibility() {}

    /** Why Sluice leaves the application to Spark's own shuffle; empty if it does not. */
    public static Optional<String> declineReason(SparkConf conf) {
      if (Utils.isPushBasedShuffleEnabled(conf, true, false)) {
        return Optional.of(
            "spark.shuffle.push.enabled is on, and push-based merging takes files from map tasks");
      }
      if (SparkSettings.isExternalServiceOn(conf) && SparkSettings.nodeService(conf).isEmpty()) {
        return Optional.of(
            "spark.shuffle.service.enabled is on, so map outputs must outlive their executors, and"
                + " spark.sluice.service names no service of Sluice that could keep them");
      }
      if (conf.getBoolean("spark.shuffle.useOldFetchProtocol", false)) {
        return Optional.of(
            "spark.shuffle.useOldFetchProtocol is on, with which attempts of a task have one name"
                + " for their outputs");
      }
      String plugin = conf.get(IO_PLUGIN, STOCK_IO_PLUGIN);
      if (!plugin.equals(STOCK_IO_PLUGIN) && !plugin.equals(SluiceDataIO.class.getName())) {
        return Optional.of(
            IO_PLUGIN + " is " + plugin + ", through which Sluice's map outputs would not go");
      }
      return Optional.empty();
    }
  }
}
