package io.sluice.it.bench;

import io.sluice.it.demo.Variant;
import io.sluice.it.job.JobCosts;
import io.sluice.it.report.CostPlot;
import io.sluice.it.report.Measure;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What repeated rounds of all variants cost, against each other.
 *
 * <p>Ratios are taken within a round, whose jobs ran one after the other, and only then summed up:
 * a machine that is slower in one round does not blur them.
 */
public final class Comparison {
  private static final List<Measure> MEASURES =
      List.of(
          Measure.CPU,
          Measure.SPILL_MERGE,
          Measure.LOCAL,
          Measure.WALL,
          Measure.SHUFFLE_MERGE,
          Measure.NODE_MANAGER_CPU);

  private final List<Map<Variant, JobCosts>> rounds = new ArrayList<>();

  /** Adds a round, which has run all variants. */
  public void add(Map<Variant, JobCosts> round) {
    rounds.add(new EnumMap<>(round));
  }

  public List<Map<Variant, JobCosts>> rounds() {
    return List.copyOf(rounds);
  }

  /** The spread of one measure of a variant over the rounds, raw. */
  Spread values(Measure measure, Variant variant) {
    return Spread.of(
        rounds.stream().map(round -> (double) measure.of(round.get(variant))).toList());
  }

  /** The spread of a variant's measure over another's in the same round. */
  Spread ratios(Measure measure, Variant variant, Variant base) {
    return Spread.of(
        rounds.stream()
            .map(round -> ratio(measure.of(round.get(variant)), measure.of(round.get(base))))
            .toList());
  }

  private static double ratio(double value, double base) {
    return base == 0 ? Double.NaN : value / base;
  }

  /** One row per measure: each variant's median with spread, and Sluice against the others. */
  public TextTable table() {
    List<Variant> variants = List.copyOf(rounds.get(0).keySet());
    List<String> header = new ArrayList<>(List.of("median (min–max)"));
    variants.forEach(variant -> header.add(variant.title()));
    List<Variant> bases =
        variants.contains(Variant.SLUICE) ? List.of(Variant.STOCK, Variant.TUNED) : List.of();
    bases.forEach(base -> header.add("Sluice / " + base.title()));
    TextTable table = new TextTable(header);
    for (Measure measure : MEASURES) {
      List<String> row = new ArrayList<>(List.of(measure.title()));
      variants.forEach(variant -> row.add(values(measure, variant).show(measure::show)));
      bases.forEach(
          base ->
              row.add(
                  ratios(measure, Variant.SLUICE, base).show(ratio -> "%.3f".formatted(ratio))));
      table.add(row);
    }
    return table;
  }

  /** The medians of the ratios to stock defaults, with how far the rounds lie from them. */
  public Map<String, List<CostPlot.Bar>> bars() {
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    for (Variant variant : rounds.get(0).keySet()) {
      bars.put(
          variant.title(),
          CostPlot.MEASURES.stream()
              .map(measure -> bar(ratios(measure, variant, Variant.STOCK)))
              .toList());
    }
    return bars;
  }

  private static CostPlot.Bar bar(Spread ratios) {
    double spread = Math.max(ratios.max() - ratios.median(), ratios.median() - ratios.min());
    return new CostPlot.Bar(100 * ratios.median(), 100 * spread);
  }
}
