package io.sluice.tools;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.sluice.node.metrics.Metric;
import io.sluice.node.metrics.MetricSink;
import io.sluice.rdma.metrics.WaitCounts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The values of a moment as Prometheus' library has them.
 *
 * <p>Thread contract: one thread.
 */
final class PrometheusSnapshots implements MetricSink {
  /** The library puts it behind the name of a counter itself. */
  private static final String TOTAL = "_total";

  private final Map<Metric, MetricSnapshot.Builder<?>> metrics = new LinkedHashMap<>();

  @Override
  public void number(Metric metric, List<String> labelValues, long value) {
    Labels labels = Labels.of(metric.labels(), labelValues);
    if (metric.type() == Metric.Type.COUNTER) {
      of(metric, CounterSnapshot.builder())
          .dataPoint(
              CounterSnapshot.CounterDataPointSnapshot.builder()
                  .labels(labels)
                  .value(value)
                  .build());
    } else {
      of(metric, GaugeSnapshot.builder())
          .dataPoint(
              GaugeSnapshot.GaugeDataPointSnapshot.builder().labels(labels).value(value).build());
    }
  }

  @Override
  public void waits(Metric metric, List<String> labelValues, WaitCounts value) {
    ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
    for (int i = 0; i <= WaitCounts.BOUNDS; i++) {
      buckets.bucket(WaitCounts.boundSeconds(i), value.counts().get(i));
    }
    of(metric, HistogramSnapshot.builder())
        .dataPoint(
            HistogramSnapshot.HistogramDataPointSnapshot.builder()
                .labels(Labels.of(metric.labels(), labelValues))
                .classicHistogramBuckets(buckets.build())
                .sum(value.totalSeconds())
                .build());
  }

  /** The builder that this metric already has, which is of its type, or the given one. */
  private <B extends MetricSnapshot.Builder<B>> B of(Metric metric, B fresh) {
    MetricSnapshot.Builder<?> known =
        metrics.computeIfAbsent(
            metric, m -> fresh.name(m.name().replaceAll(TOTAL + "$", "")).help(m.help()));
    @SuppressWarnings("unchecked")
    B same = (B) fresh.getClass().cast(known);
    return same;
  }

  MetricSnapshots build() {
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    metrics.values().forEach(metric -> all.metricSnapshot(metric.build()));
    return all.build();
  }
}
