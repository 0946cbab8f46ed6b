package io.sluice.bench;

import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What repeated rounds of all variants cost, against each other.
 *
 * <p>Ratios are taken within a round, whose variants ran one after the other, and only then summed
 * up: a machine that is slower in one round does not blur them.
 *
 * <p>Not thread-safe.
 *
 * @param <V> the variants
 * @param <R> what a round reports of a variant
 */
public final class Comparison<V extends Enum<V> & Variant, R> {
  private final List<Ratio<V>> ratios;
  private final List<Map<V, R>> rounds = new ArrayList<>();

  /**
   * Of nothing yet.
   *
   * @param ratios the columns besides those of the variants; those of variants that did not run are
   *     left out
   */
  public Comparison(List<Ratio<V>> ratios) {
    this.ratios = List.copyOf(ratios);
  }

  /** Adds a round, which has run the same variants as all others. */
  public void add(Map<V, R> round) {
    rounds.add(new EnumMap<>(round));
  }

  public List<Map<V, R>> rounds() {
    return List.copyOf(rounds);
  }

  /** Those that ran, in the order of columns. */
  public List<V> variants() {
    return List.copyOf(rounds.get(0).keySet());
  }

  /** A row for each figure: every variant's median with spread, and the ratios. */
  public TextTable table(List<Figure<R>> figures) {
    List<V> variants = variants();
    List<Ratio<V>> columns = ratios();
    List<String> header = new ArrayList<>(List.of("median (min–max)"));
    variants.forEach(variant -> header.add(variant.title()));
    columns.forEach(ratio -> header.add(ratio.title()));
    TextTable table = new TextTable(header);
    for (Figure<R> figure : figures) {
      List<String> row = new ArrayList<>(List.of(figure.title()));
      variants.forEach(variant -> row.add(values(figure, variant).show(figure.show())));
      columns.forEach(
          ratio -> row.add(ratios(figure, ratio).show(share -> "%.3f".formatted(share))));
      table.add(row);
    }
    return table;
  }

  private List<Ratio<V>> ratios() {
    List<V> variants = variants();
    return ratios.stream()
        .filter(ratio -> variants.contains(ratio.of()) && variants.contains(ratio.base()))
        .toList();
  }

  /**
   * A series for each ratio, named by what is compared, with a bar for each figure; empty if no
   * ratio's variants both ran, for there is nothing to draw then.
   */
  public Optional<CostPlot> plot(String title, String unit, List<Figure<R>> figures) {
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    for (Ratio<V> ratio : ratios()) {
      bars.put(ratio.of().title(), figures.stream().map(figure -> bar(figure, ratio)).toList());
    }
    List<String> categories = figures.stream().map(Figure::title).toList();
    return bars.isEmpty()
        ? Optional.empty()
        : Optional.of(new CostPlot(title, unit, categories, bars));
  }

  /** The median of a ratio, with how far the rounds lie from it. */
  public CostPlot.Bar bar(Figure<R> figure, Ratio<V> ratio) {
    return bar(ratios(figure, ratio));
  }

  private static CostPlot.Bar bar(Spread shares) {
    double spread = Math.max(shares.max() - shares.median(), shares.median() - shares.min());
    return new CostPlot.Bar(100 * shares.median(), 100 * spread);
  }

  /** The median of a figure that is a share, with how far the rounds lie from it. */
  public CostPlot.Bar bar(Figure<R> share, V variant) {
    return bar(values(share, variant));
  }

  /** A figure of a variant over all rounds. */
  public Spread values(Figure<R> figure, V variant) {
    return Spread.of(
        rounds.stream().map(round -> figure.value().applyAsDouble(round.get(variant))).toList());
  }

  /** A ratio of a figure, taken within each round. */
  public Spread ratios(Figure<R> figure, Ratio<V> ratio) {
    return Spread.of(
        rounds.stream()
            .map(
                round ->
                    share(
                        figure.value().applyAsDouble(round.get(ratio.of())),
                        figure.value().applyAsDouble(round.get(ratio.base()))))
            .toList());
  }

  private static double share(double value, double base) {
    return base == 0 ? Double.NaN : value / base;
  }
}
