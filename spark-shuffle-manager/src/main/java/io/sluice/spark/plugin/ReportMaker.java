package io.sluice.spark.plugin;

import io.sluice.spark.metrics.ExecutorReport;
import io.sluice.spark.metrics.ExecutorReport.TierUse;
import io.sluice.spark.metrics.ReportedShuffle;
import io.sluice.spark.persist.Persistence;
import io.sluice.spark.persist.SluiceDiskStore;
import io.sluice.spill.store.StoreStats;
import io.sluice.spill.store.StoreStats.TierStats;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.shuffle.ShuffleManager;
import org.apache.spark.storage.BlockManagerId;

/** Makes the report of this process. */
final class ReportMaker {
  private static final String NO_POOL = "none";

  private ReportMaker() {}

  /** The report of this moment. */
  static ExecutorReport take(PluginContext context, Optional<Persistence> persistence) {
    // The manager may not exist yet, or may not be Sluice's.
    ShuffleManager manager = SparkEnv.get().shuffleManager();
    Optional<ReportedShuffle> sluice =
        manager instanceof ReportedShuffle ours ? Optional.of(ours) : Optional.empty();
    Optional<StoreStats> stats = sluice.flatMap(ReportedShuffle::poolStats);
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
        sluice.map(ReportedShuffle::transports).orElse(List.of()),
        stats.map(StoreStats::memory).map(ReportMaker::use).orElse(TierUse.NONE),
        stats.map(StoreStats::disk).map(ReportMaker::use).orElse(TierUse.NONE),
        stats.map(StoreStats::outputs).orElse(0),
        sluice.map(ours -> ours.counters().serviceBytes()).orElse(0L),
        sluice.map(ours -> ours.counters().bytesByWay()).orElse(Map.of()),
        fallbacks,
        store.flatMap(SluiceDiskStore::stats).map(ReportMaker::use).orElse(TierUse.NONE),
        store.map(SluiceDiskStore::blockCount).orElse(0));
  }

  /** The host, once the block manager knows it. The plugin context asks in vain on an executor. */
  private static String host() {
    BlockManagerId address = SparkEnv.get().blockManager().blockManagerId();
    return address == null ? "" : address.host();
  }

  private static String noPool(ShuffleManager manager, Optional<ReportedShuffle> sluice) {
    if (manager != null && sluice.isEmpty()) {
      return "none, because of " + manager.getClass().getName();
    }
    return sluice.flatMap(ReportedShuffle::declined).map(why -> "none: " + why).orElse(NO_POOL);
  }

  private static TierUse use(TierStats tier) {
    return new TierUse(tier.usedBytes(), tier.capacityBytes());
  }
}
