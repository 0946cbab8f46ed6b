package io.sluice.spark.plugin;

import io.sluice.spark.SluiceShuffleManager;
import io.sluice.spark.metrics.ExecutorReport;
import io.sluice.spark.metrics.TierUse;
import io.sluice.spill.store.StoreStats;
import io.sluice.spill.store.TierStats;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.shuffle.ShuffleManager;

/** Makes the report of this process. */
final class Reports {
  private static final String NO_POOL = "none";

  private Reports() {}

  /** How it is now; its shuffle manager may not exist yet, or be another than Sluice's. */
  static ExecutorReport take(PluginContext context) {
    ShuffleManager manager = SparkEnv.get().shuffleManager();
    return manager instanceof SluiceShuffleManager sluice
        ? of(context, sluice)
        : of(
            context,
            manager == null ? NO_POOL : "none, because of " + manager.getClass().getName());
  }

  private static ExecutorReport of(PluginContext context, SluiceShuffleManager manager) {
    Optional<StoreStats> stats = manager.poolStats();
    return new ExecutorReport(
        context.executorID(),
        context.hostname(),
        System.currentTimeMillis(),
        stats.isPresent() ? "open" : manager.declined().map(why -> "none: " + why).orElse(NO_POOL),
        List.copyOf(manager.transports()),
        stats.map(StoreStats::memory).map(Reports::use).orElse(TierUse.NONE),
        stats.map(StoreStats::disk).map(Reports::use).orElse(TierUse.NONE),
        stats.map(StoreStats::outputs).orElse(0),
        manager.counters().bytesByWay(),
        manager.counters().fallbacks());
  }

  private static ExecutorReport of(PluginContext context, String pool) {
    return new ExecutorReport(
        context.executorID(),
        context.hostname(),
        System.currentTimeMillis(),
        pool,
        List.of(),
        TierUse.NONE,
        TierUse.NONE,
        0,
        Map.of(),
        Map.of());
  }

  private static TierUse use(TierStats tier) {
    return new TierUse(tier.usedBytes(), tier.capacityBytes());
  }
}
