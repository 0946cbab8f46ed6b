package io.sluice.spark.metrics;

import io.sluice.node.client.ReadStats;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which ways the blocks of this executor went, and what was left to Spark and why.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class ShuffleCounters {
  /** The way of blocks that tasks read out of the pool of their own executor. */
  public static final String OWN_POOL = "local";

  /** The way of remote blocks that Spark's own client fetched for a shuffle of Sluice's. */
  public static final String THROUGH_SPARK = "spark";

  private final Fallbacks fallbacks =
      new Fallbacks("Sluice leaves something to Spark's own shuffle");
  private final Map<String, Long> bytesByWay = new TreeMap<>();

  /** Something was left to Spark's own shuffle; the first time for each reason, the log says so. */
  public void fellBack(String reason) {
    fallbacks.add(reason);
  }

  /** A task has read this. */
  public synchronized void read(ReadStats stats) {
    stats.bytesByWay().forEach((way, bytes) -> bytesByWay.merge(way, bytes, Long::sum));
  }

  /** A task has read a block that way. */
  public synchronized void read(String way, long bytes) {
    bytesByWay.merge(way, bytes, Long::sum);
  }

  /** How often, by reason. */
  public Map<String, Long> fallbacks() {
    return fallbacks.counts();
  }

  /** Bytes that came over each transport, {@link #OWN_POOL} or {@link #THROUGH_SPARK}. */
  public synchronized Map<String, Long> bytesByWay() {
    return new TreeMap<>(bytesByWay);
  }
}
