package io.sluice.spark.metrics;

import io.sluice.spill.store.StoreStats;
import java.util.List;
import java.util.Optional;

/**
 * What the shuffle manager of a process says of itself in reports.
 *
 * <p>Thread contract: safe from any thread.
 */
public interface ReportedShuffle {
  /** How full this executor's pool is, if it has one. */
  Optional<StoreStats> poolStats();

  /** Which ways blocks went, and what was left to Spark. */
  ShuffleCounters counters();

  /** The transports that this executor serves and reads with, best first; none before it does. */
  List<String> transports();

  /** Why it leaves the application to Spark; empty if it does not. */
  Optional<String> declined();
}
