package io.sluice.bench;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * One figure of what a variant did in a round, with how people read it.
 *
 * @param title its name
 * @param value takes it, raw, from what the round reported
 * @param show makes text of a raw value
 * @param <R> what a round reports of a variant
 */
public record Figure<R>(String title, ToDoubleFunction<R> value, DoubleFunction<String> show) {

  /** A time in ms, shown in seconds. */
  public static <R> Figure<R> seconds(String title, ToDoubleFunction<R> valueMs) {
    return new Figure<>(title, valueMs, ms -> "%.1f s".formatted(ms / 1e3));
  }

  /** The same with hundredths, for what takes few seconds. */
  public static <R> Figure<R> fineSeconds(String title, ToDoubleFunction<R> valueMs) {
    return new Figure<>(title, valueMs, Figure::fineSeconds);
  }

  /** Seconds with hundredths. */
  public static String fineSeconds(double ms) {
    return "%.2f s".formatted(ms / 1e3);
  }

  /** Bytes, shown in whole MB. */
  public static <R> Figure<R> megabytes(String title, ToDoubleFunction<R> valueBytes) {
    return new Figure<>(title, valueBytes, bytes -> "%.0f MB".formatted(bytes / 1e6));
  }

  /** The same figure under another name. */
  public Figure<R> titled(String title) {
    return new Figure<>(title, value, show);
  }

  /** The same figure of a part of what a round reports. */
  public <S> Figure<S> in(Function<S, R> part) {
    return new Figure<>(title, whole -> value.applyAsDouble(part.apply(whole)), show);
  }

  /** The same, under another name. */
  public <S> Figure<S> of(String title, Function<S, R> part) {
    return titled(title).in(part);
  }

  /** The same figure of one case, under a name. */
  public <C> Figure<Map<C, R>> ofCase(String title, C measured) {
    return titled(title).in(cases -> cases.get(measured));
  }

  /** The spread of this figure over some reports. */
  public Spread of(Collection<? extends R> reports) {
    return Spread.of(reports.stream().map(value::applyAsDouble).toList());
  }

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

    /** How far the values lie from the middle at most. */
    double deviation() {
      return Math.max(max - median, median - min);
    }

    /** The middle, with the smallest and largest in brackets if there are several. */
    public String show(DoubleFunction<String> format) {
      return min == max
          ? format.apply(median)
          : "%s (%s–%s)".formatted(format.apply(median), format.apply(min), format.apply(max));
    }
  }
}
