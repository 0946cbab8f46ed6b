package io.sluice.hadoop.node;

import io.sluice.hadoop.node.ServiceStateMXBean.MemoryHolder;
import io.sluice.node.metrics.Metric;
import io.sluice.node.metrics.Metric.MetricSink;
import io.sluice.node.metrics.NodeMetrics;
import io.sluice.node.service.NodeService;
import io.sluice.node.service.ServiceCounters.BounceCounters;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;
import io.sluice.spill.store.StoreStats;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The state of a service for JMX. Differs from {@link SluiceMetrics}, which tells Hadoop's metrics
 * system the same metrics, with the buckets of histograms.
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
  public int getFailedOverflowDirectories() {
    return (int) stat(StoreStats::failedDirectories);
  }

  @Override
  public long getBounceRegisteredBytes() {
    return bounce(BounceCounters::registeredBytes);
  }

  @Override
  public long getBouncedBytes() {
    return bounce(BounceCounters::bytes);
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
    Table table = new Table();
    if (service == null) {
      NodeMetrics.readDegraded(table);
    } else {
      NodeMetrics.read(service, table);
    }
    return table.values;
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

  private long bounce(ToLongFunction<BounceCounters> value) {
    return service == null
        ? 0
        : service.counters().bounce().values().stream().mapToLong(value).sum();
  }

  private long stat(ToLongFunction<StoreStats> value) {
    return service == null ? 0 : value.applyAsLong(service.store().stats());
  }

  /**
   * All metrics as one table, by names with their labels: {@code
   * sluice_memory_held_bytes{kind="send"}}. A reader of JMX makes no percentiles of buckets, so a
   * histogram has its median and 99th percentile since the start, unless it is empty.
   */
  private static final class Table implements MetricSink {
    private static final List<Double> QUANTILES = List.of(0.5, 0.99);

    private final Map<String, Double> values = new TreeMap<>();

    @Override
    public void number(Metric metric, List<String> labelValues, long value) {
      values.put(metric.name() + text(metric.labels(), labelValues), (double) value);
    }

    @Override
    public void waits(Metric metric, List<String> labelValues, WaitCounts value) {
      String labels = text(metric.labels(), labelValues);
      values.put(metric.name() + "_count" + labels, (double) value.count());
      values.put(metric.name() + "_sum" + labels, value.totalSeconds());
      if (value.count() > 0) {
        List<String> names = with(metric.labels(), "quantile");
        for (double quantile : QUANTILES) {
          values.put(
              metric.name() + text(names, with(labelValues, Double.toString(quantile))),
              value.quantileSeconds(quantile));
        }
      }
    }

    private static List<String> with(List<String> list, String last) {
      return Stream.concat(list.stream(), Stream.of(last)).toList();
    }

    private static String text(List<String> labels, List<String> labelValues) {
      return labels.isEmpty()
          ? ""
          : IntStream.range(0, labels.size())
              .mapToObj(i -> labels.get(i) + "=\"" + labelValues.get(i) + "\"")
              .collect(Collectors.joining(",", "{", "}"));
    }
  }
}
