package io.sluice.node.metrics;

import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;
import java.util.List;

/**
 * Name and meaning of a metric.
 *
 * @param name as Prometheus wants it: lower case, with the unit, of a counter with {@code _total}
 * @param help a sentence without its full stop
 * @param labels names of its labels
 */
public record Metric(String name, Type type, String help, List<String> labels) {
  /** How its values behave. */
  public enum Type {
    /** Goes up and down. */
    GAUGE,
    /** Goes up until the service ends. */
    COUNTER,
    /** Seconds, counted in buckets. */
    HISTOGRAM
  }

  /** Takes the values of a moment, those of one metric behind each other. */
  public interface MetricSink {
    /** A gauge or a counter. */
    void number(Metric metric, List<String> labelValues, long value);

    /** A histogram. */
    void waits(Metric metric, List<String> labelValues, WaitCounts value);
  }
}
