package io.sluice.node.metrics;

import io.sluice.node.metrics.Metric.MetricSink;
import io.sluice.node.service.NodeService;
import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a service says at one moment, by metric and values of its labels. */
public final class Readings implements MetricSink {
  private final Map<Metric, Map<List<String>, Long>> numbers = new LinkedHashMap<>();
  private final Map<Metric, Map<List<String>, WaitCounts>> waits = new LinkedHashMap<>();

  /** Of this service, now. */
  public static Readings of(NodeService service) {
    Readings readings = new Readings();
    NodeMetrics.read(service, readings);
    return readings;
  }

  @Override
  public void number(Metric metric, List<String> labelValues, long value) {
    put(numbers, metric, labelValues, value);
  }

  @Override
  public void waits(Metric metric, List<String> labelValues, WaitCounts value) {
    put(waits, metric, labelValues, value);
  }

  private static <T> void put(
      Map<Metric, Map<List<String>, T>> all, Metric metric, List<String> labelValues, T value) {
    if (labelValues.size() != metric.labels().size()) {
      throw new AssertionError(metric + " was given " + labelValues);
    }
    Map<List<String>, T> values = all.computeIfAbsent(metric, m -> new LinkedHashMap<>());
    if (values.put(labelValues, value) != null) {
      throw new AssertionError(metric + " was given twice for " + labelValues);
    }
  }

  /** The metrics that have a value. */
  public List<Metric> metrics() {
    return NodeMetrics.all().stream()
        .filter(metric -> numbers.containsKey(metric) || waits.containsKey(metric))
        .toList();
  }

  /** All numbers of a metric, by the values of its labels, in their order. */
  public Map<List<String>, Long> numbers(String name) {
    return of(numbers, name);
  }

  /** One of them. */
  public long number(String name, String... labelValues) {
    return numbers(name).get(List.of(labelValues));
  }

  /** All histograms of a metric, likewise. */
  public Map<List<String>, WaitCounts> waits(String name) {
    return of(waits, name);
  }

  private static <T> Map<List<String>, T> of(Map<Metric, Map<List<String>, T>> all, String name) {
    return all.entrySet().stream()
        .filter(entry -> entry.getKey().name().equals(name))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(Map.of());
  }
}
