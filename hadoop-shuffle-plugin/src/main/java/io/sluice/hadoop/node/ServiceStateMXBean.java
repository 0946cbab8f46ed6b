package io.sluice.hadoop.node;

import java.util.Map;

/**
 * What the NodeManager tells of Sluice at {@code /jmx} and to any JMX client, under {@code
 * Hadoop:service=NodeManager,name=SluiceShuffle}.
 *
 * <p>Each attribute is read on its own, so two of them may be of different moments.
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

  /** Bytes of the memory tier that exist. */
  long getMemoryCreatedBytes();

  /**
   * The tasks that hold most of it, the largest first. Outputs are of applications, not of tasks.
   */
  MemoryHolder[] getMemoryHolders();

  /** Bytes of the disk tier that cannot be leased now. */
  long getDiskUsedBytes();

  /** Leases since the start that the memory tier could not grant alone. */
  long getOverflows();

  /** Outputs that have left the memory tier for the disk tier since the start. */
  long getMovedOutputs();

  /** Outputs in memory that have a copy on the disk tier now. */
  long getCopiedOutputs();

  /** Leases since the start that no tier could grant. */
  long getRefusals();

  /** How many times since the start a segment of the memory tier could not be made. */
  long getSegmentFailures();

  /** Overflow directories that are left out now, because they failed. */
  int getFailedOverflowDirectories();

  /** Memory registered for bounce buffers, over all transports. */
  long getBounceRegisteredBytes();

  /** Bounce slots that readers hold now. */
  long getBounceSlotsInUse();

  /** Reads served through bounce slots since the start. */
  long getBouncedReads();

  /** Their bytes. */
  long getBouncedBytes();

  /** Readers that found no bounce slot free since the start. */
  long getBounceRefusals();

  /** Connections of tasks and readers that have proved that they may be there. */
  long getOpenConnections();

  /** Such connections that were told to come later since the start. */
  long getRefusedConnections();

  /** Connections since the start that proved nothing in time, or came in a crowd of such. */
  long getExpelledConnections();

  /** Connections since the start that ended in an error of this process. */
  long getConnectionErrors();

  /** Tasks since the start that were not served, by why. */
  Map<String, Long> getTaskRefusals();

  /**
   * All that is told to metrics systems, of one moment, by the names that it has there, with labels
   * as Prometheus writes them; of a histogram its count, its sum, median and 99th percentile.
   */
  Map<String, Double> getMetrics();

  /** Reads since the start that were refused, by transport. */
  Map<String, Long> getFailedReads();
}
