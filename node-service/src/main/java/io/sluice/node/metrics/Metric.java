package io.sluice.node.metrics;

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
}
