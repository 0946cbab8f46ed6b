package io.sluice.bench;

import io.sluice.bench.Figure.Spread;
import io.sluice.bench.Plot.LinePlot;
import io.sluice.it.report.Console;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;

/**
 * The costs of something as it grows: the same measurement with several numbers, in several rounds.
 * A {@link Comparison} has variants instead of numbers.
 *
 * <p>Not thread-safe.
 *
 * @param <T> what a measurement reports
 */
public final class Scale<T> {
  private final List<Integer> counts;
  private final String step;
  private final IntFunction<T> measurement;
  private final Map<Integer, List<T>> measured = new TreeMap<>();

  /**
   * Measures nothing yet.
   *
   * @param step the name of a measurement, with a place for its number
   */
  public Scale(List<Integer> counts, String step, IntFunction<T> measurement) {
    this.counts = List.copyOf(counts);
    this.step = step;
    this.measurement = measurement;
  }

  /** Measures the first number, and does not count it. */
  public void warmUp(Console console) {
    measure(console, counts.get(0));
  }

  /** Measures all numbers once. */
  public void round(Console console) {
    for (int count : counts) {
      measured.computeIfAbsent(count, key -> new ArrayList<>()).add(measure(console, count));
    }
  }

  private T measure(Console console, int count) {
    return console.step(step.formatted(count), () -> measurement.apply(count));
  }

  /** All that was measured, by number. */
  public Map<Integer, List<T>> measured() {
    return measured;
  }

  /** A figure with one number over all rounds. */
  public Spread values(Figure<T> figure, int count) {
    return figure.of(measured.get(count));
  }

  /** A row for each number, a column for each figure. */
  public TextTable table(String countsTitle, List<Figure<T>> figures) {
    List<String> header = new ArrayList<>(List.of(countsTitle));
    figures.forEach(figure -> header.add(figure.title()));
    TextTable table = new TextTable(header);
    for (int count : measured.keySet()) {
      List<String> row = new ArrayList<>(List.of("%,d".formatted(count)));
      figures.forEach(figure -> row.add(values(figure, count).show(figure.show())));
      table.add(row);
    }
    return table;
  }

  /** A line for each figure, over the numbers, named by the figures' titles. */
  public Map<String, List<LinePlot.Point>> lines(List<Figure<T>> figures) {
    Map<String, List<LinePlot.Point>> lines = new LinkedHashMap<>();
    for (Figure<T> figure : figures) {
      lines.put(
          figure.title(),
          measured.keySet().stream()
              .map(count -> LinePlot.Point.of(count, values(figure, count)))
              .toList());
    }
    return lines;
  }
}
