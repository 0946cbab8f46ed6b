package io.sluice.bench.spark;

import io.sluice.bench.CostPlot;
import io.sluice.bench.Spread;
import io.sluice.it.spark.jobs.Workload;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What repeated rounds of all variants cost, against each other. Ratios are taken within a round,
 * and only then summed up: a machine that is slower in one round does not blur them.
 *
 * @param rounds for each, every variant's reports; of all the same variants
 */
record SparkComparison(List<Map<SparkVariant, SparkReports>> rounds) {
  private static final List<SparkFigure> PLOTTED =
      List.of(SparkFigure.WALL, SparkFigure.PROCESS_CPU);

  /** A column of ratios. */
  private record Ratio(SparkVariant of, SparkVariant base) {
    String title() {
      return of.title() + " / " + base.title();
    }
  }

  private static final List<Ratio> RATIOS =
      List.of(
          new Ratio(SparkVariant.SLUICE, SparkVariant.DISK),
          new Ratio(SparkVariant.SLUICE, SparkVariant.TMPFS),
          new Ratio(SparkVariant.SERVICE, SparkVariant.TMPFS));

  /** In the order of columns. */
  private Set<SparkVariant> variants() {
    return new TreeSet<>(rounds.get(0).keySet());
  }

  private List<Ratio> ratios() {
    return RATIOS.stream()
        .filter(ratio -> variants().containsAll(Set.of(ratio.of(), ratio.base())))
        .toList();
  }

  private List<Workload> workloads(SparkRun run) {
    return List.copyOf(rounds.get(0).get(SparkVariant.SLUICE).byRun().get(run).keySet());
  }

  private Spread values(
      SparkRun run, Workload workload, SparkFigure measure, SparkVariant variant) {
    return Spread.of(
        rounds.stream().map(round -> measure.of(round.get(variant).get(run, workload))).toList());
  }

  /** One variant's share of what another took in the same round. */
  private Spread ratios(SparkRun run, Workload workload, SparkFigure measure, Ratio ratio) {
    return Spread.of(
        rounds.stream()
            .map(
                round ->
                    measure.of(round.get(ratio.of()).get(run, workload))
                        / measure.of(round.get(ratio.base()).get(run, workload)))
            .toList());
  }

  /** A row for each run, workload and measure: medians and spreads, and Sluice against stock. */
  TextTable table() {
    List<String> header = new ArrayList<>(List.of("median (min–max)"));
    for (SparkVariant variant : variants()) {
      header.add(variant.title());
    }
    ratios().forEach(ratio -> header.add(ratio.title()));
    TextTable table = new TextTable(header);
    for (SparkRun run : SparkRun.values()) {
      for (Workload workload : workloads(run)) {
        for (SparkFigure measure : SparkFigure.values()) {
          List<String> row =
              new ArrayList<>(List.of(run.title() + " " + workload + " " + measure.title()));
          for (SparkVariant variant : variants()) {
            row.add(values(run, workload, measure, variant).show(measure::show));
          }
          for (Ratio ratio : ratios()) {
            row.add(ratios(run, workload, measure, ratio).show(share -> "%.3f".formatted(share)));
          }
          table.add(row);
        }
      }
    }
    return table;
  }

  /** One series for each run and measure, one bar for each workload of all runs. */
  Map<String, List<CostPlot.Bar>> bars() {
    Ratio ratio = new Ratio(SparkVariant.SLUICE, SparkVariant.TMPFS);
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    for (SparkFigure measure : PLOTTED) {
      for (SparkRun run : SparkRun.values()) {
        bars.put(
            run.title() + ", " + measure.title(),
            workloads(SparkRun.COLD).stream()
                .map(workload -> bar(ratios(run, workload, measure, ratio)))
                .toList());
      }
    }
    return bars;
  }

  List<String> categories() {
    return workloads(SparkRun.COLD).stream().map(Workload::name).toList();
  }

  private static CostPlot.Bar bar(Spread ratios) {
    double spread = Math.max(ratios.max() - ratios.median(), ratios.median() - ratios.min());
    return new CostPlot.Bar(100 * ratios.median(), 100 * spread);
  }
}
