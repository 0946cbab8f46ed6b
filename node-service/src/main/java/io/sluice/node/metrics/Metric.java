package io.sluice.node.metrics;

import java.util.List;

/**
 * What a metric is called, and what it means.
 *
 * @param name as Prometheus wants it: lower case, with the unit, of a counter with {@code _total}
 * @param help a sentence without its full stop
 * @param labels the names of what its values differ by
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
