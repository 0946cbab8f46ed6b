package io.sluice.bench.hadoop;

import io.sluice.bench.Bench;
import io.sluice.bench.Comparison;
import io.sluice.bench.Figure;
import io.sluice.bench.Figure.Spread;
import io.sluice.bench.Plot.LinePlot;
import io.sluice.bench.hadoop.RmrRounds.RmrCosts;
import io.sluice.bench.hadoop.RmrWorkload.RmrVariant;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.job.JobCosts;
import io.sluice.it.job.MapPhases;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Programs over sizes: the paper has its two sorts (section IV-B and C, Figures 3 and 4).
 *
 * <p>Not thread-safe. A failed job or an output that differs is a {@link ClusterException}.
 *
 * @param rounds that run the programs
 * @param console says what runs
 * @param largestBytes the largest input; the others are a third and two thirds of it
 * @param workloads in their order
 */
public record RmrSizesBench(
    RmrRounds rounds, Console console, long largestBytes, List<RmrWorkload> workloads) {
  /** Parts of the largest size: as the paper's 20, 40 and 60 GB. */
  private static final int STEPS = 3;

  private static final double BYTES_OF_MB = 1e6;
  private static final List<Figure<JobCosts>> STAGES =
      List.of(
          Figure.seconds("maps", JobCosts::mapStageMs),
          Figure.seconds("reduces after them", JobCosts::reduceStageMs),
          Figure.seconds("the whole job", JobCosts::wallMs));
  private static final List<Figure<JobCosts>> SPILLS =
      List.of(
          RmrBench.milliseconds("shortest", job -> sortedSpillsMs(job).get(0)),
          RmrBench.milliseconds("mean", RmrCosts::meanSpillAndMergeMs),
          RmrBench.milliseconds(
              "longest", job -> sortedSpillsMs(job).get(job.eachMap().size() - 1)));

  /** A program on an input of about a size. */
  record SizedWorkload(RmrWorkload workload, long sizeBytes) {
    /** Its name in results. */
    @Override
    public String toString() {
      return workload.title() + " of " + Size.show(sizeBytes);
    }
  }

  /** Runs all rounds and writes the results. */
  public void run(int count, ResultFiles files) {
    RmrCosts<SizedWorkload> costs = new RmrCosts<>();
    List<Runnable> steps = new ArrayList<>();
    for (RmrWorkload workload : workloads) {
      for (int step = 1; step <= STEPS; step++) {
        SizedWorkload sized = new SizedWorkload(workload, largestBytes * step / STEPS);
        steps.add(() -> costs.add(sized, rounds.run(workload, sized.sizeBytes(), count)));
      }
    }
    described(costs, workloads, count).run(steps.stream(), console, files);
  }

  static Bench described(RmrCosts<SizedWorkload> costs, List<RmrWorkload> workloads, int rounds) {
    Bench bench =
        Bench.of("bench-rmr-sizes", "RMR-NVM's programs over sizes, on YARN")
            .rounds(rounds)
            .dataOf("rounds", costs::rounds)
            .table(
                "Figure 4: time from submission until the last map had ended, and from there to the end",
                () -> costs.comparison().table(ofAll(costs, STAGES)))
            .table(
                "Figure 3: spill and merge of the maps of each size",
                () -> costs.comparison().table(ofAll(costs, SPILLS)))
            .notes(
                "The paper's Figure 3, of 96 maps of Sort: spills of RMR-NVM are 2.39 times as fast as MR's on average, 3.83 times at most; of TeraSort 2.73 times on average. Its Figure 4, of 60 GB: Sort in 45 % of MR's time, its maps 2.37 times as fast; TeraSort in 49 %.");
    for (RmrWorkload workload : workloads) {
      bench
          .maybePlot(
              "-stages-" + workload.fileName(),
              title ->
                  sizes(costs, workload).map(sizes -> stages(title, sizes, costs.comparison())))
          .maybePlot(
              "-spill-" + workload.fileName(),
              title ->
                  sizes(costs, workload).map(sizes -> spills(title, sizes, costs.comparison())));
    }
    return bench;
  }

  /** The sizes of a program that were measured so far, if there are any. */
  private static Optional<List<SizedWorkload>> sizes(
      RmrCosts<SizedWorkload> costs, RmrWorkload workload) {
    List<SizedWorkload> sizes =
        costs.cases().stream().filter(each -> each.workload() == workload).toList();
    return sizes.isEmpty() ? Optional.empty() : Optional.of(sizes);
  }

  private static List<Figure<Map<SizedWorkload, JobCosts>>> ofAll(
      RmrCosts<SizedWorkload> costs, List<Figure<JobCosts>> figures) {
    return costs.cases().stream()
        .flatMap(
            each ->
                figures.stream().map(figure -> figure.ofCase(each + ": " + figure.title(), each)))
        .toList();
  }

  private static List<Long> sortedSpillsMs(JobCosts job) {
    return job.eachMap().stream().map(MapPhases::spillAndMergeMs).sorted().toList();
  }

  /** Over sizes: each variant's maps, and its whole job. */
  private static LinePlot stages(
      String title,
      List<SizedWorkload> sizes,
      Comparison<RmrVariant, Map<SizedWorkload, JobCosts>> comparison) {
    Map<String, List<LinePlot.Point>> series = new LinkedHashMap<>();
    for (RmrVariant variant : comparison.variants()) {
      for (Figure<JobCosts> figure : List.of(STAGES.get(2), STAGES.get(0))) {
        Figure<JobCosts> seconds =
            new Figure<>("", job -> figure.value().applyAsDouble(job) / 1e3, s -> "");
        series.put(
            variant.title() + ": " + figure.title(),
            comparison.line(
                variant,
                sizes,
                size -> size.sizeBytes() / BYTES_OF_MB,
                size -> seconds.ofCase("", size)));
      }
    }
    return new LinePlot(
        sizes.get(0).workload().title() + ": " + title, "MB of input", "seconds", series);
  }

  /** Each variant's maps of the largest size, from the cheapest spill to the dearest. */
  private static LinePlot spills(
      String title,
      List<SizedWorkload> sizes,
      Comparison<RmrVariant, Map<SizedWorkload, JobCosts>> comparison) {
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
