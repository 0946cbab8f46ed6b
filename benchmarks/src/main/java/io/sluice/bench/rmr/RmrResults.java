package io.sluice.bench.rmr;

import io.sluice.bench.Comparison;
import io.sluice.bench.CostPlot;
import io.sluice.bench.Figure;
import io.sluice.bench.Ratio;
import io.sluice.bench.ResultPage;
import io.sluice.bench.hadoop.Size;
import io.sluice.it.job.JobCosts;
import io.sluice.it.report.Machine;
import io.sluice.it.report.ResultFiles;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** What the programs have cost so far, in the paper's tables. Not thread-safe. */
final class RmrResults {
  private static final DoubleFunction<String> SECONDS = ms -> "%.1f s".formatted(ms / 1e3);
  private static final DoubleFunction<String> MILLISECONDS = "%.0f ms"::formatted;
  private static final List<Ratio<RmrVariant>> RATIOS =
      List.of(
          new Ratio<>(RmrVariant.SLUICE, RmrVariant.STOCK),
          new Ratio<>(RmrVariant.SLUICE, RmrVariant.TUNED),
          new Ratio<>(RmrVariant.NVRAM, RmrVariant.STOCK));
  private static final String PAPER = "RMR-NVM of MR, the paper";

  private final long sizeBytes;
  private final List<RmrVariant> variants;
  private final Map<RmrWorkload, List<Map<RmrVariant, JobCosts>>> rounds =
      new EnumMap<>(RmrWorkload.class);

  /** Of nothing yet. */
  RmrResults(long sizeBytes, Collection<RmrVariant> variants) {
    this.sizeBytes = sizeBytes;
    this.variants = List.copyOf(variants);
  }

  /** Adds a program's rounds; all programs have as many. */
  void add(RmrWorkload workload, List<Map<RmrVariant, JobCosts>> costs) {
    rounds.put(workload, List.copyOf(costs));
  }

  /** All that is written of it. */
  ResultPage page() {
    Comparison<RmrVariant, Map<RmrWorkload, JobCosts>> comparison = comparison();
    int count = comparison.rounds().size();
    Map<String, TextTable> tables = new LinkedHashMap<>();
    tables.put(
        "Figure 5: time of the jobs; in brackets, what RMR-NVM takes of stock's in the paper",
        comparison.table(figures(RmrResults::withPaper, JobCosts::wallMs, SECONDS)));
    tables.put(
        "Processor time of all tasks",
        comparison.table(figures(RmrWorkload::program, JobCosts::cpuMs, SECONDS)));
    tables.put("Tables I and II: means of the maps", comparison.table(ofMaps()));
    tables.put(
        "Reduces: shuffle and merge, added up",
        comparison.table(
            figures(
                RmrWorkload::program,
                costs -> costs.reduceShuffleMs() + costs.reduceMergeMs(),
                SECONDS)));
    tables.put(
        "Garbage collection in all tasks",
        comparison.table(figures(RmrWorkload::program, JobCosts::gcMs, SECONDS)));
    String title =
        "RMR-NVM's programs on YARN, inputs of %s, rounds: %d"
            .formatted(Size.show(sizeBytes), count);
    return new ResultPage(
        "bench-rmr-nvm",
        title,
        Machine.here(),
        Map.of("sizeBytes", sizeBytes, "rounds", rounds),
        tables,
        List.of(
            "The paper's Table II, seconds of MR, RMR and RMR-NVM: Sort reads, maps and collects 1.96, 1.87 and 1.86, spills and merges"
                + " 3.36, 3.33 and 1.64; TeraSort 3.14, 3.14 and 3.13, and 11.79, 11.79 and 5.42."),
        plots(title, comparison));
  }

  /** By rounds, as they are compared. */
  private Comparison<RmrVariant, Map<RmrWorkload, JobCosts>> comparison() {
    Comparison<RmrVariant, Map<RmrWorkload, JobCosts>> comparison = new Comparison<>(RATIOS);
    int count = rounds.values().iterator().next().size();
    for (int round = 0; round < count; round++) {
      Map<RmrVariant, Map<RmrWorkload, JobCosts>> costs = new EnumMap<>(RmrVariant.class);
      for (RmrVariant variant : variants) {
        Map<RmrWorkload, JobCosts> ofVariant = new EnumMap<>(RmrWorkload.class);
        for (Map.Entry<RmrWorkload, List<Map<RmrVariant, JobCosts>>> each : rounds.entrySet()) {
          ofVariant.put(each.getKey(), each.getValue().get(round).get(variant));
        }
        costs.put(variant, ofVariant);
      }
      comparison.add(costs);
    }
    return comparison;
  }

  private List<Figure<Map<RmrWorkload, JobCosts>>> ofMaps() {
    List<Figure<Map<RmrWorkload, JobCosts>>> figures = new ArrayList<>();
    for (RmrWorkload workload : rounds.keySet()) {
      figures.add(
          figure(
              workload,
              workload.program() + ": read+map+collect",
              costs -> 1.0 * costs.maps().collectMs() / costs.mapTasks(),
              MILLISECONDS));
      figures.add(spillAndMerge(workload, workload.program() + ": spill+merge"));
    }
    return figures;
  }

  private static Figure<Map<RmrWorkload, JobCosts>> spillAndMerge(
      RmrWorkload workload, String title) {
    return figure(
        workload, title, costs -> 1.0 * costs.spillAndMergeMs() / costs.mapTasks(), MILLISECONDS);
  }

  private List<Figure<Map<RmrWorkload, JobCosts>>> figures(
      Function<RmrWorkload, String> title,
      ToDoubleFunction<JobCosts> value,
      DoubleFunction<String> show) {
    return rounds.keySet().stream()
        .map(workload -> figure(workload, title.apply(workload), value, show))
        .toList();
  }

  private static Figure<Map<RmrWorkload, JobCosts>> figure(
      RmrWorkload workload,
      String title,
      ToDoubleFunction<JobCosts> value,
      DoubleFunction<String> show) {
    return new Figure<>(title, costs -> value.applyAsDouble(costs.get(workload)), show);
  }

  private static String withPaper(RmrWorkload workload) {
    return workload.paperShare().isEmpty()
        ? workload.program()
        : "%s (%.2f)".formatted(workload.program(), workload.paperShare().getAsDouble());
  }

  /** Time, and what spills take of it, in per cent of stock's. */
  private Map<String, ResultFiles.Writer> plots(
      String title, Comparison<RmrVariant, Map<RmrWorkload, JobCosts>> comparison) {
    List<String> programs = rounds.keySet().stream().map(RmrWorkload::program).toList();
    Map<String, List<CostPlot.Bar>> time = new LinkedHashMap<>();
    Map<String, List<CostPlot.Bar>> spill = new LinkedHashMap<>();
    for (RmrVariant variant : variants) {
      Ratio<RmrVariant> ratio = new Ratio<>(variant, RmrVariant.STOCK);
      time.put(
          variant.title(),
          figures(RmrWorkload::program, JobCosts::wallMs, SECONDS).stream()
              .map(figure -> comparison.bar(figure, ratio))
              .toList());
      spill.put(
          variant.title(),
          rounds.keySet().stream()
              .map(workload -> comparison.bar(spillAndMerge(workload, ""), ratio))
              .toList());
    }
    time.put(
        PAPER,
        rounds.keySet().stream()
            .map(workload -> new CostPlot.Bar(100 * workload.paperShare().orElse(0), 0))
            .toList());
    return Map.of(
        "", new CostPlot(title, "time, per cent of stock's", programs, time)::draw,
        "-spill",
            new CostPlot(title, "spill and merge, per cent of stock's", programs, spill)::draw);
  }
}
