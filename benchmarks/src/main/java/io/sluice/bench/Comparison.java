package io.sluice.bench;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.bench.hadoop.JobFigure;
import io.sluice.it.job.JobCosts;
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
  private static final List<JobFigure> MEASURES =
      List.of(
          JobFigure.CPU,
          JobFigure.SPILL_MERGE,
          JobFigure.LOCAL,
          JobFigure.WALL,
          JobFigure.SHUFFLE_MERGE,
          JobFigure.NODE_MANAGER_CPU);

  private final List<Map<HadoopVariant, JobCosts>> rounds = new ArrayList<>();

  /** Adds a round, which has run all variants. */
  public void add(Map<HadoopVariant, JobCosts> round) {
    rounds.add(new EnumMap<>(round));
  }

  public List<Map<HadoopVariant, JobCosts>> rounds() {
    return List.copyOf(rounds);
  }

  /** The spread of one measure of a variant over the rounds, raw. */
  Spread values(JobFigure measure, HadoopVariant variant) {
    return Spread.of(
        rounds.stream().map(round -> (double) measure.of(round.get(variant))).toList());
  }

  /** The spread of a variant's measure over another's in the same round. */
  Spread ratios(JobFigure measure, HadoopVariant variant, HadoopVariant base) {
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
    List<HadoopVariant> variants = List.copyOf(rounds.get(0).keySet());
    List<String> header = new ArrayList<>(List.of("median (min–max)"));
    variants.forEach(variant -> header.add(variant.title()));
    List<HadoopVariant> bases =
        variants.contains(HadoopVariant.SLUICE)
            ? List.of(HadoopVariant.STOCK, HadoopVariant.TUNED)
            : List.of();
    bases.forEach(base -> header.add("Sluice / " + base.title()));
    TextTable table = new TextTable(header);
    for (JobFigure measure : MEASURES) {
      List<String> row = new ArrayList<>(List.of(measure.title()));
      variants.forEach(variant -> row.add(values(measure, variant).show(measure::show)));
      bases.forEach(
          base ->
              row.add(
                  ratios(measure, HadoopVariant.SLUICE, base)
                      .show(ratio -> "%.3f".formatted(ratio))));
      table.add(row);
    }
    return table;
  }

  /** The medians of the ratios to stock defaults, with how far the rounds lie from them. */
  public Map<String, List<CostPlot.Bar>> bars() {
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    for (HadoopVariant variant : rounds.get(0).keySet()) {
      bars.put(
          variant.title(),
          CostPlot.MEASURES.stream()
              .map(measure -> bar(ratios(measure, variant, HadoopVariant.STOCK)))
              .toList());
    }
    return bars;
  }

  private static CostPlot.Bar bar(Spread ratios) {
    double spread = Math.max(ratios.max() - ratios.median(), ratios.median() - ratios.min());
    return new CostPlot.Bar(100 * ratios.median(), 100 * spread);
  }
}
