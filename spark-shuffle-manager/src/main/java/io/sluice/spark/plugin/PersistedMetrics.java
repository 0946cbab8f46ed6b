package io.sluice.spark.plugin;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.sluice.spark.persist.Persistence;
import io.sluice.spark.persist.SluiceDiskStore;
import io.sluice.spill.store.TierStats;

/** The pool of persisted blocks in the metrics that Spark takes from plugins. */
final class PersistedMetrics {
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
