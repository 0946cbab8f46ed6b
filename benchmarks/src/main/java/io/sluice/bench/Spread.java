package io.sluice.bench;

import java.util.List;
import java.util.function.DoubleFunction;

/**
 * Smallest, middle and largest of repeated measurements.
 *
 * @param min the smallest
 * @param median the middle one, or the mean of the two middle ones
 * @param max the largest
 */
public record Spread(double min, double median, double max) {

  /** The spread of at least one value. */
  public static Spread of(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int half = sorted.size() / 2;
    double median =
        sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    return new Spread(sorted.get(0), median, sorted.get(sorted.size() - 1));
  }

  /** The middle, with the smallest and largest in brackets if there are several. */
  public String show(DoubleFunction<String> format) {
    return min == max
        ? format.apply(median)
        : "%s (%s–%s)".formatted(format.apply(median), format.apply(min), format.apply(max));
  }
}
