package io.sluice.hadoop.node;

import io.sluice.node.metrics.NodeMetrics;
import io.sluice.node.service.BounceCounters;
import io.sluice.node.service.NodeService;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.rdma.transport.ConnectionCounters;
import io.sluice.spill.store.StoreStats;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * The state of a service as JMX sees it.
 *
 * <p>Thread contract: safe from any thread. Ownership: the service stays its owner's. Failure: none
 * of its own.
 */
final class ServiceState implements ServiceStateMXBean {
  /** A table of all would be as long as there are tasks. */
  private static final int MOST_HOLDERS = 20;

  private final NodeMetadata metadata;
  private final NodeService service;

  /**
   * Made once the service has started, or failed to.
   *
   * @param service null if it could not start
   */
  ServiceState(NodeMetadata metadata, NodeService service) {
    this.metadata = metadata;
    this.service = service;
  }

  @Override
  public boolean isRunning() {
    return metadata.isRunning();
  }

  @Override
  public String getDegradedReason() {
    return metadata.isRunning() ? "" : metadata.degradedReason();
  }

  @Override
  public int getOutputs() {
    return (int) stat(StoreStats::outputs);
  }

  @Override
  public long getMemoryUsedBytes() {
    return stat(stats -> stats.memory().usedBytes());
  }

  @Override
  public long getMemoryCreatedBytes() {
    return stat(stats -> stats.memory().createdBytes());
  }

  @Override
  public MemoryHolder[] getMemoryHolders() {
    return service == null
        ? new MemoryHolder[0]
        : MemoryHolder.largest(service.memory().snapshot().holdings(), MOST_HOLDERS);
  }

  @Override
  public long getDiskUsedBytes() {
    return stat(stats -> stats.disk().usedBytes());
  }

  @Override
  public long getOverflows() {
    return stat(StoreStats::overflows);
  }

  @Override
  public long getMovedOutputs() {
    return service == null ? 0 : service.memory().snapshot().movedOutputs();
  }

  @Override
  public long getCopiedOutputs() {
    return stat(stats -> stats.copies().outputs());
  }

  @Override
  public long getRefusals() {
    return stat(StoreStats::refusals);
  }

  @Override
  public long getSegmentFailures() {
    return stat(StoreStats::segmentFailures);
  }

  @Override
  public int getFailedOverflowDirectories() {
    return (int) stat(StoreStats::failedDirectories);
  }

  @Override
  public long getBounceRegisteredBytes() {
    return bounce(BounceCounters::registeredBytes);
  }

  @Override
  public long getBounceSlotsInUse() {
    return bounce(BounceCounters::slotsInUse);
  }

  @Override
  public long getBouncedReads() {
    return bounce(BounceCounters::reads);
  }

  @Override
  public long getBouncedBytes() {
    return bounce(BounceCounters::bytes);
  }

  @Override
  public long getBounceRefusals() {
    return bounce(BounceCounters::refusals);
  }

  @Override
  public long getOpenConnections() {
    return connections(ConnectionCounters::open);
  }

  @Override
  public long getRefusedConnections() {
    return connections(ConnectionCounters::refused);
  }

  @Override
  public long getExpelledConnections() {
    return connections(ConnectionCounters::expelled);
  }

  @Override
  public long getConnectionErrors() {
    return connections(ConnectionCounters::errors);
  }

  @Override
  public Map<String, Long> getTaskRefusals() {
    Map<String, Long> counts = new TreeMap<>();
    if (service != null) {
      service.counters().refusals().forEach((kind, count) -> counts.put(kind.text(), count));
    }
    return counts;
  }

  @Override
  public Map<String, Double> getMetrics() {
    MetricValues values = new MetricValues();
    if (service == null) {
      NodeMetrics.readDegraded(values);
    } else {
      NodeMetrics.read(service, values);
    }
    return values.byName();
  }

  @Override
  public Map<String, Long> getFailedReads() {
    Map<String, Long> counts = new TreeMap<>();
    if (service != null) {
      service
          .counters()
          .transports()
          .forEach((transport, counters) -> counts.put(transport, counters.failedReads()));
    }
    return counts;
  }

  private long connections(ToLongFunction<ConnectionCounters> value) {
    return service == null ? 0 : value.applyAsLong(service.counters().connections());
  }

  private long bounce(ToLongFunction<BounceCounters> value) {
    return service == null
        ? 0
        : service.counters().bounce().values().stream().mapToLong(value).sum();
  }

  private long stat(ToLongFunction<StoreStats> value) {
    return service == null ? 0 : value.applyAsLong(service.store().stats());
  }
}
