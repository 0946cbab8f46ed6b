package io.sluice.hadoop.node;

import java.util.Map;

/**
 * The bean of Sluice's service at {@code /jmx} and for any JMX client, under {@code
 * Hadoop:service=NodeManager,name=SluiceShuffle}.
 *
 * <p>{@link #getMetrics} has every metric. The other attributes are a summary. Each attribute is
 * read by itself, so two of them may be of different moments.
 */
public interface ServiceStateMXBean {
  /** Whether the service works; if not, tasks of this node use the stock shuffle. */
  boolean isRunning();

  /** Why it does not work; empty if it does. */
  String getDegradedReason();

  /** Outputs that reducers can find. */
  int getOutputs();

  /** Bytes of the memory tier that cannot be leased now. */
  long getMemoryUsedBytes();

  /** The tasks that hold most of the memory tier, the largest first. Outputs are not of tasks. */
  MemoryHolder[] getMemoryHolders();

  /** Bytes of the disk tier that cannot be leased now. */
  long getDiskUsedBytes();

  /** Leases since the start that the memory tier could not grant alone. */
  long getOverflows();

  /** Outputs that have left the memory tier for the disk tier since the start. */
  long getMovedOutputs();

  /** Outputs in memory that have a copy on the disk tier now. */
  long getCopiedOutputs();

  /** Overflow directories that are left out now, because they failed. */
  int getFailedOverflowDirectories();

  /** Memory registered for bounce buffers, over all transports. */
  long getBounceRegisteredBytes();

  /** Bytes read through bounce slots since the start. */
  long getBouncedBytes();

  /** Tasks since the start that were not served, by the reason. */
  Map<String, Long> getTaskRefusals();

  /** Reads since the start that were refused, by transport. */
  Map<String, Long> getFailedReads();

  /**
   * Every metric of the service, all of one moment, by the names that metrics systems see. Labels
   * are written as in Prometheus. A histogram has its count, its sum, its median and its 99th
   * percentile.
   */
  Map<String, Double> getMetrics();
}
