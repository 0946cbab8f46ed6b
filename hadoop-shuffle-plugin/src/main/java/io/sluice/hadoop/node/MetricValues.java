package io.sluice.hadoop.node;

import io.sluice.node.metrics.Metric;
import io.sluice.node.metrics.MetricSink;
import io.sluice.node.metrics.NodeMetrics;
import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * {@link NodeMetrics} as one table for JMX, by names with their labels as Prometheus writes them:
 * {@code sluice_memory_held_bytes{kind="send"}}.
 *
 * <p>Differs from {@link SluiceMetrics} in that whoever looks makes no percentiles of buckets: of a
 * histogram there are its count, its sum, and its median and 99th percentile since the start, which
 * are left out if it has counted nothing.
 *
 * <p>Thread contract: one thread. Failure: none of its own.
 */
final class MetricValues implements MetricSink {
  private static final List<Double> QUANTILES = List.of(0.5, 0.99);

  private final Map<String, Double> values = new TreeMap<>();

  /** All of them. */
  Map<String, Double> byName() {
    return values;
  }

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
