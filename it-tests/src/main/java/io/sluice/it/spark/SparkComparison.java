package io.sluice.it.spark;

import io.sluice.it.bench.Spread;
import io.sluice.it.report.CostPlot;
import io.sluice.it.report.TextTable;
import io.sluice.it.spark.jobs.ShuffleReport;
import io.sluice.it.spark.jobs.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What repeated rounds of all variants cost, against each other. Ratios are taken within a round,
 * and only then summed up: a machine that is slower in one round does not blur them.
 *
 * @param rounds for each, every variant's reports by workload
 */
record SparkComparison(List<Map<SparkVariant, Map<Workload, ShuffleReport>>> rounds) {
  private static final List<SparkMeasure> PLOTTED =
      List.of(SparkMeasure.WALL, SparkMeasure.CPU, SparkMeasure.WRITE);

  private List<Workload> workloads() {
    return List.copyOf(rounds.get(0).get(SparkVariant.SLUICE).keySet());
  }

  private Spread values(Workload workload, SparkMeasure measure, SparkVariant variant) {
    return Spread.of(
        rounds.stream().map(round -> measure.of(round.get(variant).get(workload))).toList());
  }

  /** Sluice's share of what another variant took in the same round. */
  Spread ratios(Workload workload, SparkMeasure measure, SparkVariant base) {
    return Spread.of(
        rounds.stream()
            .map(
                round ->
                    measure.of(round.get(SparkVariant.SLUICE).get(workload))
                        / measure.of(round.get(base).get(workload)))
            .toList());
  }

  /** A row for each workload and measure: medians and spreads, and Sluice against the others. */
  TextTable table() {
    List<String> header = new ArrayList<>(List.of("median (min–max)"));
    for (SparkVariant variant : SparkVariant.values()) {
      header.add(variant.title());
    }
    header.add("Sluice / disk");
    header.add("Sluice / tmpfs");
    TextTable table = new TextTable(header);
    for (Workload workload : workloads()) {
      for (SparkMeasure measure : SparkMeasure.values()) {
        List<String> row = new ArrayList<>(List.of(workload + " " + measure.title()));
        for (SparkVariant variant : SparkVariant.values()) {
          row.add(values(workload, measure, variant).show(measure::show));
        }
        for (SparkVariant base : List.of(SparkVariant.DISK, SparkVariant.TMPFS)) {
          row.add(ratios(workload, measure, base).show(ratio -> "%.3f".formatted(ratio)));
        }
        table.add(row);
      }
    }
    return table;
  }

  /** One series for each measure, one bar for each workload: Sluice against stock on disk. */
  Map<String, List<CostPlot.Bar>> bars() {
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    for (SparkMeasure measure : PLOTTED) {
      bars.put(
          measure.title(),
          workloads().stream()
              .map(workload -> bar(ratios(workload, measure, SparkVariant.DISK)))
              .toList());
    }
    return bars;
  }

  List<String> categories() {
    return workloads().stream().map(Workload::name).toList();
  }

  private static CostPlot.Bar bar(Spread ratios) {
    double spread = Math.max(ratios.max() - ratios.median(), ratios.median() - ratios.min());
    return new CostPlot.Bar(100 * ratios.median(), 100 * spread);
  }
}
