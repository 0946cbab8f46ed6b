package io.sluice.bench.rmr;

import io.sluice.bench.Comparison;
import io.sluice.bench.CostPlot;
import io.sluice.bench.Figure;
import io.sluice.bench.Plot;
import io.sluice.bench.Ratio;
import io.sluice.bench.ResultPage;
import io.sluice.bench.hadoop.Size;
import io.sluice.it.job.JobCosts;
import io.sluice.it.report.Machine;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** What the programs have cost so far, in the paper's tables. Not thread-safe. */
final class RmrResults {
  private static final String PAPER = "RMR-NVM of MR, the paper";

  private final long sizeBytes;
  private final RmrCosts<RmrWorkload> costs = new RmrCosts<>();

  /** Of nothing yet. */
  RmrResults(long sizeBytes) {
    this.sizeBytes = sizeBytes;
  }

  /** Adds a program's rounds; all programs have as many. */
  void add(RmrWorkload workload, List<Map<RmrVariant, JobCosts>> rounds) {
    costs.add(workload, rounds);
  }

  /** All that is written of it. */
  ResultPage page() {
    Comparison<RmrVariant, Map<RmrWorkload, JobCosts>> comparison = costs.comparison();
    int count = comparison.rounds().size();
    Map<String, TextTable> tables = new LinkedHashMap<>();
    tables.put(
        "Figure 5: time of the jobs; in brackets, what RMR-NVM takes of stock's in the paper",
        comparison.table(figures(RmrResults::withPaper, JobCosts::wallMs, RmrCosts.SECONDS)));
    tables.put(
        "Processor time of all tasks",
        comparison.table(figures(RmrWorkload::title, JobCosts::cpuMs, RmrCosts.SECONDS)));
    tables.put(
        "Processor time of all daemons and containers",
        comparison.table(figures(RmrWorkload::title, job -> job.host().cpuMs(), RmrCosts.SECONDS)));
    tables.put("Tables I and II: means of the maps", comparison.table(ofMaps()));
    tables.put(
        "Reduces: shuffle and merge, added up",
        comparison.table(
            figures(
                RmrWorkload::title,
                job -> job.reduceShuffleMs() + job.reduceMergeMs(),
                RmrCosts.SECONDS)));
    tables.put(
        "Garbage collection in all tasks",
        comparison.table(figures(RmrWorkload::title, JobCosts::gcMs, RmrCosts.SECONDS)));
    tables.put(
        "Network, received on all interfaces, loopback among them",
        comparison.table(
            figures(RmrWorkload::title, job -> job.host().networkBytes(), RmrCosts.MEGABYTES)));
    tables.put(
        "Devices, read and written by the end of the job",
        comparison.table(
            figures(RmrWorkload::title, job -> job.host().deviceBytes(), RmrCosts.MEGABYTES)));
    tables.put(
        "Most memory of a task",
        comparison.table(figures(RmrWorkload::title, JobCosts::peakTaskBytes, RmrCosts.MEGABYTES)));
    String title =
        "RMR-NVM's programs on YARN, inputs of %s, rounds: %d"
            .formatted(Size.show(sizeBytes), count);
    return new ResultPage(
        "bench-rmr-nvm",
        title,
        Machine.here(),
        Map.of("sizeBytes", sizeBytes, "rounds", costs.rounds()),
        tables,
        List.of(
            "The paper's Table II, seconds of MR, RMR and RMR-NVM: Sort reads, maps and collects 1.96, 1.87 and 1.86, spills and merges"
                + " 3.36, 3.33 and 1.64; TeraSort 3.14, 3.14 and 3.13, and 11.79, 11.79 and 5.42."),
        plots(title, comparison));
  }

  private List<Figure<Map<RmrWorkload, JobCosts>>> ofMaps() {
    List<Figure<Map<RmrWorkload, JobCosts>>> figures = new ArrayList<>();
    for (RmrWorkload workload : costs.cases()) {
      figures.add(
          RmrCosts.figure(
              workload,
              workload.title() + ": read+map+collect",
              job -> 1.0 * job.maps().collectMs() / job.eachMap().size(),
              RmrCosts.MILLISECONDS));
      figures.add(spillAndMerge(workload, workload.title() + ": spill+merge"));
    }
    return figures;
  }

  private static Figure<Map<RmrWorkload, JobCosts>> spillAndMerge(
      RmrWorkload workload, String title) {
    return RmrCosts.figure(workload, title, RmrCosts::meanSpillAndMergeMs, RmrCosts.MILLISECONDS);
  }

  private List<Figure<Map<RmrWorkload, JobCosts>>> figures(
      Function<RmrWorkload, String> title,
      ToDoubleFunction<JobCosts> value,
      DoubleFunction<String> show) {
    return costs.cases().stream()
        .map(workload -> RmrCosts.figure(workload, title.apply(workload), value, show))
        .toList();
  }

  private static String withPaper(RmrWorkload workload) {
    return workload.paperShare().isEmpty()
        ? workload.title()
        : "%s (%.2f)".formatted(workload.title(), workload.paperShare().getAsDouble());
  }

  /** Time, and what spills take of it, in per cent of stock's. */
  private Map<String, Plot> plots(
      String title, Comparison<RmrVariant, Map<RmrWorkload, JobCosts>> comparison) {
    List<String> programs = costs.cases().stream().map(RmrWorkload::title).toList();
    Map<String, List<CostPlot.Bar>> time = new LinkedHashMap<>();
    Map<String, List<CostPlot.Bar>> spill = new LinkedHashMap<>();
    for (RmrVariant variant : comparison.variants()) {
      Ratio<RmrVariant> ratio = new Ratio<>(variant, RmrVariant.STOCK);
      time.put(
          variant.title(),
          figures(RmrWorkload::title, JobCosts::wallMs, RmrCosts.SECONDS).stream()
              .map(figure -> comparison.bar(figure, ratio))
              .toList());
      spill.put(
          variant.title(),
          costs.cases().stream()
              .map(workload -> comparison.bar(spillAndMerge(workload, ""), ratio))
              .toList());
    }
    time.put(
        PAPER,
        costs.cases().stream()
            .map(workload -> new CostPlot.Bar(100 * workload.paperShare().orElse(0), 0))
            .toList());
    return Map.of(
        "", new CostPlot(title, "time, per cent of stock's", programs, time),
        "-spill", new CostPlot(title, "spill and merge, per cent of stock's", programs, spill));
  }
}
