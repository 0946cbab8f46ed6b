package io.sluice.bench;

import io.sluice.bench.Figure.Spread;
import io.sluice.bench.Plot.CostPlot;
import io.sluice.bench.Plot.LinePlot;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The costs of all variants in repeated rounds, against each other.
 *
 * <p>Ratios are taken within a round, whose variants ran one after the other, and only then summed
 * up: a machine that is slower in one round does not blur them.
 *
 * <p>Not thread-safe.
 *
 * @param <V> the variants
 * @param <R> what a round reports of a variant
 */
public final class Comparison<V extends Enum<V> & Comparison.Variant, R> {
  private final List<Ratio<V>> ratios;
  private final List<Map<V, R>> rounds = new ArrayList<>();

  /**
   * Has no rounds yet.
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

  /** The variants that ran, in the order of the columns. */
  public List<V> variants() {
    return List.copyOf(rounds.get(0).keySet());
  }

  /** A row for each figure: every variant's median with spread, and the ratios. */
  public TextTable table(List<Figure<R>> figures) {
    List<String> header = new ArrayList<>(List.of("median (min–max)"));
    header.addAll(columns());
    TextTable table = new TextTable(header);
    for (Figure<R> figure : figures) {
      List<String> row = new ArrayList<>(List.of(figure.title()));
      row.addAll(cells(figure));
      table.add(row);
    }
    return table;
  }

  /** The titles of the variants, and of the ratios. */
  public List<String> columns() {
    return Stream.concat(
            variants().stream().map(Variant::title), ratios().stream().map(Ratio::title))
        .toList();
  }

  /** A figure of every variant, and in every ratio. */
  public List<String> cells(Figure<R> figure) {
    return Stream.concat(
            variants().stream().map(variant -> values(figure, variant).show(figure.show())),
            ratios().stream().map(ratio -> ratios(figure, ratio).show("%.3f"::formatted)))
        .toList();
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
    Map<String, Function<Figure<R>, CostPlot.Bar>> series = new LinkedHashMap<>();
    ratios().forEach(ratio -> series.put(ratio.of().title(), figure -> bar(figure, ratio)));
    return series.isEmpty() ? Optional.empty() : Optional.of(plot(title, unit, figures, series));
  }

  /** A series for each of some variants, with a bar for each figure in per cent of the base's. */
  public CostPlot against(
      V base, List<V> shown, String title, String unit, List<Figure<R>> figures) {
    Map<String, Function<Figure<R>, CostPlot.Bar>> series = new LinkedHashMap<>();
    for (V variant : shown) {
      Ratio<V> ratio = new Ratio<>(variant, base);
      series.put(variant.title(), figure -> bar(figure, ratio));
    }
    return plot(title, unit, figures, series);
  }

  /** The same of figures that are shares themselves. */
  public CostPlot shares(String title, String unit, List<Figure<R>> figures) {
    Map<String, Function<Figure<R>, CostPlot.Bar>> series = new LinkedHashMap<>();
    variants().forEach(variant -> series.put(variant.title(), share -> bar(share, variant)));
    return plot(title, unit, figures, series);
  }

  private static <R> CostPlot plot(
      String title,
      String unit,
      List<Figure<R>> figures,
      Map<String, Function<Figure<R>, CostPlot.Bar>> series) {
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    series.forEach((name, bar) -> bars.put(name, figures.stream().map(bar).toList()));
    return new CostPlot(title, unit, figures.stream().map(Figure::title).toList(), bars);
  }

  /** The points of a variant's line, each a figure over something. */
  public <X> List<LinePlot.Point> line(
      V variant, List<X> over, ToDoubleFunction<X> x, Function<X, Figure<R>> y) {
    return over.stream()
        .map(each -> LinePlot.Point.of(x.applyAsDouble(each), values(y.apply(each), variant)))
        .toList();
  }

  /** The median of a ratio, with how far the rounds lie from it. */
  public CostPlot.Bar bar(Figure<R> figure, Ratio<V> ratio) {
    return bar(ratios(figure, ratio));
  }

  private static CostPlot.Bar bar(Spread shares) {
    return new CostPlot.Bar(100 * shares.median(), 100 * shares.deviation());
  }

  private CostPlot.Bar bar(Figure<R> share, V variant) {
    return bar(values(share, variant));
  }

  /** A figure of a variant over all rounds. */
  public Spread values(Figure<R> figure, V variant) {
    return figure.of(rounds.stream().map(round -> round.get(variant)).toList());
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

  /**
   * A variant's share of what another one took in the same round.
   *
   * @param of the one
   * @param base the other
   */
  public record Ratio<V extends Variant>(V of, V base) {
    /** Each of some variants against the same base. */
    @SafeVarargs
    public static <V extends Variant> List<Ratio<V>> against(V base, V... of) {
      List<Ratio<V>> ratios = new ArrayList<>();
      for (V variant : of) {
        ratios.add(new Ratio<>(variant, base));
      }
      return ratios;
    }

    String title() {
      return of.title() + " / " + base.title();
    }
  }

  /** One of several that are measured side by side; an enum's order is that of the columns. */
  public interface Variant {
    /** As people read it. */
    String title();
  }
}
