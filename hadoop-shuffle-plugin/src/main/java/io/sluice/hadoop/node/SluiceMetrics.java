package io.sluice.hadoop.node;

import io.sluice.node.metrics.Metric;
import io.sluice.node.metrics.Metric.MetricSink;
import io.sluice.node.metrics.NodeMetrics;
import io.sluice.node.service.NodeService;
import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.lang3.StringUtils;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsException;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.lib.Interns;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands {@link NodeMetrics} to Hadoop's metrics system, and so to its sinks and to {@code /prom}.
 * That makes the usual names again: record {@code Sluice} and metric {@code MemoryFreeBytes} become
 * {@code sluice_memory_free_bytes}.
 *
 * <p>Labels are tags, and each combination of tags is a record. The metrics system has no
 * histograms. So their buckets are counters with a tag {@code le}, as in Prometheus. Their sums are
 * gauges, because the system's counters are whole numbers.
 *
 * <p>Thread contract: called by the metrics system, from any thread. Ownership: its owner
 * unregisters it before the service is closed. Failure: in a process with several NodeManagers only
 * the first registers; the others log a line.
 */
final class SluiceMetrics implements MetricsSource {
  /** Not the bean's name: the metrics system makes a bean of this name, too. */
  static final String NAME = "SluiceMetrics";

  private static final Logger LOG = LoggerFactory.getLogger(SluiceMetrics.class);
  private static final String RECORD = "Sluice";
  private static final String CONTEXT = "sluice";

  private final NodeService service;

  /** Hands on the metrics of a service; null if it could not start. */
  private SluiceMetrics(NodeService service) {
    this.service = service;
  }

  /**
   * Registers with the metrics system.
   *
   * @return unregisters; idempotent
   */
  static Runnable register(NodeService service) {
    try {
      DefaultMetricsSystem.instance()
          .register(NAME, "Sluice's node service", new SluiceMetrics(service));
      return () -> DefaultMetricsSystem.instance().unregisterSource(NAME);
    } catch (MetricsException e) {
      LOG.warn("Hadoop's metrics system does not show this service: {}", e.getMessage());
      return () -> {};
    }
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    Records records = new Records(collector);
    if (service == null) {
      NodeMetrics.readDegraded(records);
    } else {
      NodeMetrics.read(service, records);
    }
  }

  /** The records of one moment, by their tags. */
  private static final class Records implements MetricSink {
    private final MetricsCollector collector;
    private final Map<Map<String, String>, MetricsRecordBuilder> byTags = new HashMap<>();

    Records(MetricsCollector collector) {
      this.collector = collector;
    }

    @Override
    public void number(Metric metric, List<String> labelValues, long value) {
      MetricsRecordBuilder record = record(tags(metric, labelValues));
      MetricsInfo info = info(metric, "");
      if (metric.type() == Metric.Type.COUNTER) {
        record.addCounter(info, value);
      } else {
        record.addGauge(info, value);
      }
    }

    @Override
    public void waits(Metric metric, List<String> labelValues, WaitCounts value) {
      Map<String, String> tags = tags(metric, labelValues);
      long upTo = 0;
      for (int i = 0; i <= WaitCounts.BOUNDS; i++) {
        upTo += value.counts().get(i);
        Map<String, String> bucketTags = new HashMap<>(tags);
        bucketTags.put(
            "le", i < WaitCounts.BOUNDS ? Double.toString(WaitCounts.boundSeconds(i)) : "+Inf");
        record(bucketTags).addCounter(info(metric, "_bucket"), upTo);
      }
      record(tags).addCounter(info(metric, "_count"), upTo);
      record(tags).addGauge(info(metric, "_sum"), value.totalSeconds());
    }

    private MetricsRecordBuilder record(Map<String, String> tags) {
      return byTags.computeIfAbsent(
          tags,
          these -> {
            MetricsRecordBuilder record = collector.addRecord(RECORD).setContext(CONTEXT);
            these.forEach((name, value) -> record.tag(Interns.info(name, name), value));
            return record;
          });
    }

    private static Map<String, String> tags(Metric metric, List<String> values) {
      Map<String, String> tags = new HashMap<>();
      for (int i = 0; i < values.size(); i++) {
        tags.put(metric.labels().get(i), values.get(i));
      }
      return tags;
    }

    /** {@code sluice_memory_free_bytes} without the record's name, as Hadoop writes it. */
    private static MetricsInfo info(Metric metric, String suffix) {
      StringBuilder name = new StringBuilder();
      String[] words = (metric.name() + suffix).split("_");
      for (int i = 1; i < words.length; i++) {
        name.append(StringUtils.capitalize(words[i]));
      }
      return Interns.info(name.toString(), metric.help());
    }
  }
}
