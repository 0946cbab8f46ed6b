package io.sluice.bench.rmr;

import io.sluice.bench.Comparison;
import io.sluice.bench.Figure;
import io.sluice.bench.LinePlot;
import io.sluice.bench.Plot;
import io.sluice.bench.ResultPage;
import io.sluice.bench.Spread;
import io.sluice.it.job.JobCosts;
import io.sluice.it.job.MapPhases;
import io.sluice.it.report.Machine;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** What programs have cost so far, in the paper's Figures 3 and 4. Not thread-safe. */
final class RmrSizesResults {
  private static final double BYTES_OF_MB = 1e6;

  private final RmrCosts<SizedWorkload> costs = new RmrCosts<>();

  /** Adds the rounds of a size; all have as many. */
  void add(SizedWorkload measured, List<Map<RmrVariant, JobCosts>> rounds) {
    costs.add(measured, rounds);
  }

  /** All that is written of it. */
  ResultPage page() {
    Comparison<RmrVariant, Map<SizedWorkload, JobCosts>> comparison = costs.comparison();
    String title = "RMR-NVM's programs over sizes, on YARN, rounds: " + comparison.rounds().size();
    Map<String, TextTable> tables = new LinkedHashMap<>();
    tables.put(
        "Figure 4: time from submission until the last map had ended, and from there to the end",
        comparison.table(stages()));
    tables.put("Figure 3: spill and merge of the maps of each size", comparison.table(spills()));
    Map<String, Plot> plots = new LinkedHashMap<>();
    for (RmrWorkload workload : workloads()) {
      plots.put("-stages-" + workload.fileName(), stages(title, workload, comparison));
      plots.put("-spill-" + workload.fileName(), spills(title, workload, comparison));
    }
    return new ResultPage(
        "bench-rmr-sizes",
        title,
        Machine.here(),
        Map.of("rounds", costs.rounds()),
        tables,
        List.of(
            "The paper's Figure 3, of 96 maps of Sort: spills of RMR-NVM are 2.39 times as fast as MR's on average, 3.83 times at most;"
                + " of TeraSort 2.73 times on average. Its Figure 4, of 60 GB: Sort in 45 % of MR's time, its maps 2.37 times as fast;"
                + " TeraSort in 49 %."),
        plots);
  }

  private List<RmrWorkload> workloads() {
    return costs.cases().stream().map(SizedWorkload::workload).distinct().toList();
  }

  private List<SizedWorkload> sizes(RmrWorkload workload) {
    return costs.cases().stream().filter(each -> each.workload() == workload).toList();
  }

  private List<Figure<Map<SizedWorkload, JobCosts>>> stages() {
    List<Figure<Map<SizedWorkload, JobCosts>>> figures = new ArrayList<>();
    for (SizedWorkload each : costs.cases()) {
      figures.add(RmrCosts.figure(each, each + ": maps", JobCosts::mapStageMs, RmrCosts.SECONDS));
      figures.add(
          RmrCosts.figure(
              each, each + ": reduces after them", JobCosts::reduceStageMs, RmrCosts.SECONDS));
      figures.add(
          RmrCosts.figure(each, each + ": the whole job", JobCosts::wallMs, RmrCosts.SECONDS));
    }
    return figures;
  }

  private List<Figure<Map<SizedWorkload, JobCosts>>> spills() {
    List<Figure<Map<SizedWorkload, JobCosts>>> figures = new ArrayList<>();
    for (SizedWorkload each : costs.cases()) {
      figures.add(spill(each, "shortest", job -> sortedSpillsMs(job).get(0)));
      figures.add(spill(each, "mean", RmrCosts::meanSpillAndMergeMs));
      figures.add(spill(each, "longest", job -> sortedSpillsMs(job).get(job.eachMap().size() - 1)));
    }
    return figures;
  }

  private static Figure<Map<SizedWorkload, JobCosts>> spill(
      SizedWorkload measured, String title, ToDoubleFunction<JobCosts> value) {
    return RmrCosts.figure(measured, measured + ": " + title, value, RmrCosts.MILLISECONDS);
  }

  private static List<Long> sortedSpillsMs(JobCosts job) {
    return job.eachMap().stream().map(MapPhases::spillAndMergeMs).sorted().toList();
  }

  /** Over sizes: each variant's maps, and its whole job. */
  private LinePlot stages(
      String title,
      RmrWorkload workload,
      Comparison<RmrVariant, Map<SizedWorkload, JobCosts>> comparison) {
    Map<String, List<LinePlot.Point>> series = new LinkedHashMap<>();
    for (RmrVariant variant : comparison.variants()) {
      series.put(
          variant.title() + ": the whole job",
          overSizes(workload, variant, comparison, JobCosts::wallMs));
      series.put(
          variant.title() + ": maps",
          overSizes(workload, variant, comparison, JobCosts::mapStageMs));
    }
    return new LinePlot(workload.title() + ": " + title, "MB of input", "seconds", series);
  }

  private List<LinePlot.Point> overSizes(
      RmrWorkload workload,
      RmrVariant variant,
      Comparison<RmrVariant, Map<SizedWorkload, JobCosts>> comparison,
      ToDoubleFunction<JobCosts> valueMs) {
    return sizes(workload).stream()
        .map(
            size ->
                LinePlot.Point.of(
                    size.sizeBytes() / BYTES_OF_MB,
                    comparison.values(
                        RmrCosts.figure(
                            size, "", job -> valueMs.applyAsDouble(job) / 1e3, RmrCosts.SECONDS),
                        variant)))
        .toList();
  }

  /** Of the largest size: each variant's maps, from the cheapest spill to the dearest. */
  private LinePlot spills(
      String title,
      RmrWorkload workload,
      Comparison<RmrVariant, Map<SizedWorkload, JobCosts>> comparison) {
    List<SizedWorkload> sizes = sizes(workload);
    SizedWorkload largest = sizes.get(sizes.size() - 1);
    Map<String, List<LinePlot.Point>> series = new LinkedHashMap<>();
    for (RmrVariant variant : comparison.variants()) {
      List<List<Long>> ofRounds =
          comparison.rounds().stream()
              .map(round -> sortedSpillsMs(round.get(variant).get(largest)))
              .toList();
      int maps = ofRounds.stream().mapToInt(List::size).min().orElseThrow();
      series.put(
          variant.title(),
          IntStream.range(0, maps)
              .mapToObj(
                  rank ->
                      LinePlot.Point.of(
                          rank + 1,
                          Spread.of(
                              ofRounds.stream().map(round -> 1.0 * round.get(rank)).toList())))
              .toList());
    }
    return new LinePlot(
        largest + ": " + title, "maps, by what they spill", "ms of spill and merge", series);
  }
}
