package io.sluice.spark;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.sluice.rdma.memory.Closer;
import io.sluice.spark.conf.SparkSettings;
import io.sluice.spark.engine.SparkRelease;
import io.sluice.spark.persist.Persistence;
import io.sluice.spark.persist.SluiceDiskStore;
import io.sluice.spark.report.ExecutorReport;
import io.sluice.spark.report.ExecutorReport.TierUse;
import io.sluice.spark.report.ExecutorReporter;
import io.sluice.spark.report.ExecutorReports;
import io.sluice.spark.report.ReportsEvent;
import io.sluice.spark.report.SluiceTab;
import io.sluice.spill.store.StoreStats;
import io.sluice.spill.store.StoreStats.TierStats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.apache.spark.shuffle.ShuffleManager;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What {@link SluicePlugin} consists of, on the driver and on an executor.
 *
 * <p>Thread contract: stateless; Spark's for its two parts. Ownership: Spark shuts the parts down.
 */
final class PluginParts implements SparkPlugin {

  @Override
  public DriverPlugin driverPlugin() {
    return new DriverPart();
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new ExecutorPart();
  }

  /**
   * Makes Sluice the application's shuffle manager if the application names none, which Spark 3.5
   * does not allow. It keeps the reports of executors, shows them in Spark's UI, if there is one,
   * and puts them among the application's events, from which the history server shows them.
   */
  private static final class DriverPart implements DriverPlugin {
    private static final Logger LOG = LoggerFactory.getLogger(PluginParts.class);
    private static final String MANAGER = "spark.shuffle.manager";

    /** Number of dead executors that Spark's own pages show. */
    private static final String RETAINED_GONE = "spark.ui.retainedDeadExecutors";

    /** For applications that never end, and those that are killed. */
    private static final long LOGGED_EVERY_NS = TimeUnit.MINUTES.toNanos(10);

    private ExecutorReports reports; // this and the next are set by init
    private PluginContext context;
    private SparkContext spark;
    private long loggedNs;

    @Override
    public Map<String, String> init(SparkContext spark, PluginContext context) {
      this.context = context;
      this.spark = spark;
      loggedNs = System.nanoTime();
      reports = new ExecutorReports(context.conf().getInt(RETAINED_GONE, 100), System::nanoTime);
      // Sluice's shuffle manager also checks, but the application may name another one.
      SparkSettings.check(context.conf());
      if (!SparkRelease.isSpark3()) { // which creates the manager before its plugins
        context.conf().setIfMissing(MANAGER, SluiceShuffleManager.class.getName());
      } else if (!context.conf().contains(MANAGER)) {
        LOG.warn(
            "Spark {} takes no shuffle manager from a plugin, and shuffles without Sluice: set {}"
                + " to {}, and have Sluice's jar in spark.driver.extraClassPath and"
                + " spark.executor.extraClassPath",
            spark.version(),
            MANAGER,
            SluiceShuffleManager.class.getName());
      }
      if (spark.ui().isDefined()) {
        SluiceTab.attach(spark.ui().get(), this::current);
      }
      return Map.of();
    }

    @Override
    public Object receive(Object message) {
      reports.add((ExecutorReport) message);
      if (System.nanoTime() - loggedNs >= LOGGED_EVERY_NS) {
        spark.listenerBus().post(sinceLogged());
      }
      return null;
    }

    /** Spark 3.5 ends its listeners before its plugins, but for the one that writes the log. */
    @Override
    public void shutdown() {
      ReportsEvent last = sinceLogged();
      if (!SparkRelease.isSpark3()) {
        spark.listenerBus().post(last);
      } else if (spark.eventLogger().isDefined()) {
        spark.eventLogger().get().onOtherEvent(last);
      }
    }

    /** The last reports of executors that have reported since the last event. */
    private synchronized ReportsEvent sinceLogged() {
      reports.add(report(context, Optional.empty()));
      long sinceNs = loggedNs;
      loggedNs = System.nanoTime();
      return new ReportsEvent(reports.since(sinceNs));
    }

    /** The last report of each executor, and a new one of the driver. */
    private List<ExecutorReport> current() {
      reports.add(report(context, Optional.empty()));
      return reports.all();
    }
  }

  /** Keeps persisted blocks on an executor, if asked to, and reports to the driver. */
  private static final class ExecutorPart implements ExecutorPlugin {
    private Optional<Persistence> persistence = Optional.empty();
    private ExecutorReporter reporter;

    @Override
    public void init(PluginContext context, Map<String, String> extraConf) {
      persistence = Persistence.start(SparkEnv.get());
      persistence.ifPresent(some -> register(context.metricRegistry(), some));
      reporter = ExecutorReporter.start(context, () -> report(context, persistence));
    }

    /** Registers the metrics of persisted blocks among those that Spark takes from plugins. */
    private static void register(MetricRegistry registry, Persistence persistence) {
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

    @Override
    public void onTaskStart() {
      reporter.taskBegan();
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
  }

  /** The report of this process and this moment. */
  private static ExecutorReport report(PluginContext context, Optional<Persistence> persistence) {
    // The manager may not exist yet, or may not be Sluice's.
    ShuffleManager manager = SparkEnv.get().shuffleManager();
    Optional<PoolShuffleManager> sluice = PoolShuffleManager.behind(manager);
    Optional<StoreStats> stats = sluice.flatMap(PoolShuffleManager::poolStats);
    Optional<SluiceDiskStore> store = persistence.flatMap(Persistence::store);
    Map<String, Long> fallbacks =
        new TreeMap<>(sluice.map(ours -> ours.counters().fallbacks()).orElse(Map.of()));
    persistence.ifPresent(
        some -> some.fallbacks().forEach((why, count) -> fallbacks.put("files: " + why, count)));
    return new ExecutorReport(
        context.executorID(),
        host(),
        System.currentTimeMillis(),
        stats.isPresent() ? "open" : noPool(manager, sluice),
        sluice.map(PoolShuffleManager::transports).orElse(List.of()),
        stats.map(StoreStats::memory).map(PluginParts::use).orElse(TierUse.NONE),
        stats.map(StoreStats::disk).map(PluginParts::use).orElse(TierUse.NONE),
        stats.map(StoreStats::outputs).orElse(0),
        sluice.map(ours -> ours.counters().serviceBytes()).orElse(0L),
        sluice.map(ours -> ours.counters().bytesByWay()).orElse(Map.of()),
        fallbacks,
        store.flatMap(SluiceDiskStore::stats).map(PluginParts::use).orElse(TierUse.NONE),
        store.map(SluiceDiskStore::blockCount).orElse(0));
  }

  /** The host, once the block manager knows it. The plugin context asks in vain on an executor. */
  private static String host() {
    BlockManagerId address = SparkEnv.get().blockManager().blockManagerId();
    return address == null ? "" : address.host();
  }

  private static String noPool(ShuffleManager manager, Optional<PoolShuffleManager> sluice) {
    if (manager != null && sluice.isEmpty()) {
      return "none, because of " + manager.getClass().getName();
    }
    return sluice.flatMap(PoolShuffleManager::declined).map(why -> "none: " + why).orElse("none");
  }

  private static TierUse use(TierStats tier) {
    return new TierUse(tier.usedBytes(), tier.capacityBytes());
  }
}
