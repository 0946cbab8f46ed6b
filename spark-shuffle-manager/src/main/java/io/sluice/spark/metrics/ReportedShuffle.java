package io.sluice.spark.metrics;

import io.sluice.spill.store.StoreStats;
import java.util.List;
import java.util.Optional;

/**
 * The part of a shuffle manager that reports show.
 *
 * <p>Thread contract: safe from any thread.
 */
public interface ReportedShuffle {
  /** How full this executor's pool is; empty if it has none. */
  Optional<StoreStats> poolStats();

  /** Bytes read, by source, and fallbacks to Spark. */
  ShuffleCounters counters();

  /**
   * The transports that this executor serves and reads with, best first; none before the first use.
   */
  List<String> transports();

  /** Why it leaves the application to Spark; empty if it does not. */
  Optional<String> declined();
}
