package io.sluice.spark.plugin;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.sluice.rdma.memory.Closer;
import io.sluice.spark.persist.Persistence;
import io.sluice.spark.persist.SluiceDiskStore;
import io.sluice.spill.store.StoreStats.TierStats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;

/**
 * The plugin on an executor: it keeps persisted blocks, if asked to, and reports to the driver.
 *
 * <p>Thread contract: Spark's. Ownership: Spark shuts it down.
 */
public final class ExecutorPart implements ExecutorPlugin {
  private Optional<Persistence> persistence = Optional.empty();
  private ExecutorReporter reporter;

  /** Does nothing yet. */
  public ExecutorPart() {}

  @Override
  public void init(PluginContext context, Map<String, String> extraConf) {
    persistence = Persistence.start(SparkEnv.get());
    persistence.ifPresent(some -> PersistedMetrics.register(context.metricRegistry(), some));
    reporter = ExecutorReporter.start(context, () -> ReportMaker.take(context, persistence));
  }

  @Override
  public void onTaskSucceeded() {
    reporter.taskEnded();
  }

  @Override
  public void onTaskFailed(TaskFailedReason reason) {
    reporter.taskEnded();
  }

  @Override
  public void shutdown() {
    try {
      Closer.all(reporter, persistence.orElse(null));
    } catch (IOException e) {
      throw new UncheckedIOException("the pool of persisted blocks could not be removed", e);
    }
  }

  /**
   * Registers the metrics of the pool of persisted blocks, among those that Spark takes from
   * plugins.
   */
  static final class PersistedMetrics {
    private PersistedMetrics() {}

    static void register(MetricRegistry registry, Persistence persistence) {
      registry.register(
          "persisted.usedBytes",
          (Gauge<Long>)
              () ->
                  persistence
                      .store()
                      .flatMap(SluiceDiskStore::stats)
                      .map(TierStats::usedBytes)
                      .orElse(0L));
      registry.register(
          "persisted.blocks",
          (Gauge<Integer>) () -> persistence.store().map(SluiceDiskStore::blockCount).orElse(0));
      registry.register(
          "persisted.fallbacks",
          (Gauge<Long>)
              () -> persistence.fallbacks().values().stream().mapToLong(Long::longValue).sum());
    }
  }
}
