package io.sluice.node.metrics;

import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;
import java.util.List;

/** Takes the values of a moment, those of one metric behind each other. */
public interface MetricSink {
  /** A gauge or a counter. */
  void number(Metric metric, List<String> labelValues, long value);

  /** A histogram. */
  void waits(Metric metric, List<String> labelValues, WaitCounts value);
}
