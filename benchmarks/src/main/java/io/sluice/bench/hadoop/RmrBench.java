package io.sluice.bench.hadoop;

import io.sluice.bench.Bench;
import io.sluice.bench.Figure;
import io.sluice.bench.Plot.CostPlot;
import io.sluice.bench.hadoop.RmrRounds.RmrCosts;
import io.sluice.bench.hadoop.RmrWorkload.RmrVariant;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.job.JobCosts;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The paper's programs, one after the other, in the paper's tables.
 *
 * <p>Not thread-safe. A failed job or an output that differs is a {@link ClusterException}.
 *
 * @param rounds that run the programs
 * @param console says what runs
 * @param sizeBytes about the size of the inputs
 * @param workloads in their order
 */
public record RmrBench(
    RmrRounds rounds, Console console, long sizeBytes, List<RmrWorkload> workloads) {
  private static final Figure<JobCosts> WALL = Figure.seconds("", JobCosts::wallMs);
  private static final Figure<JobCosts> SPILL =
      milliseconds(": spill+merge", RmrCosts::meanSpillAndMergeMs);

  /** The tables below that of times: rows for each program. */
  private static final Map<String, List<Figure<JobCosts>>> TABLES = new LinkedHashMap<>();

  static {
    TABLES.put("Processor time of all tasks", List.of(Figure.seconds("", JobCosts::cpuMs)));
    TABLES.put(
        "Processor time of all daemons and containers",
        List.of(Figure.seconds("", job -> job.host().cpuMs())));
    TABLES.put(
        "Tables I and II: means of the maps",
        List.of(
            milliseconds(
                ": read+map+collect", job -> 1.0 * job.maps().collectMs() / job.eachMap().size()),
            SPILL));
    TABLES.put(
        "Reduces: shuffle and merge, added up",
        List.of(Figure.seconds("", job -> job.reduceShuffleMs() + job.reduceMergeMs())));
    TABLES.put("Garbage collection in all tasks", List.of(Figure.seconds("", JobCosts::gcMs)));
    TABLES.put(
        "Network, received on all interfaces, loopback among them",
        List.of(Figure.megabytes("", job -> job.host().networkBytes())));
    TABLES.put(
        "Devices, read and written by the end of the job",
        List.of(Figure.megabytes("", job -> job.host().deviceBytes())));
    TABLES.put("Most memory of a task", List.of(Figure.megabytes("", JobCosts::peakTaskBytes)));
  }

  static Figure<JobCosts> milliseconds(String title, ToDoubleFunction<JobCosts> value) {
    return new Figure<>(title, value, "%.0f ms"::formatted);
  }

  /** Runs all rounds and writes the results. */
  public void run(int count, ResultFiles files) {
    RmrCosts<RmrWorkload> costs = new RmrCosts<>();
    Bench bench =
        Bench.of("bench-rmr-nvm", "RMR-NVM's programs on YARN, inputs of %s", Size.show(sizeBytes))
            .rounds(count)
            .data("sizeBytes", sizeBytes)
            .dataOf("rounds", costs::rounds)
            .table(
                "Figure 5: time of the jobs; in brackets, RMR-NVM's share of stock's time in the paper",
                () -> costs.comparison().table(withPaper(costs)))
            .notes(
                "The paper's Table II, seconds of MR, RMR and RMR-NVM: Sort reads, maps and collects 1.96, 1.87 and 1.86, spills and merges 3.36, 3.33 and 1.64; TeraSort 3.14, 3.14 and 3.13, and 11.79, 11.79 and 5.42.")
            .plot("", title -> time(title, costs))
            .plot(
                "-spill",
                title -> plot(title, costs, "spill and merge, per cent of stock's", SPILL));
    TABLES.forEach(
        (heading, shown) ->
            bench.table(heading, () -> costs.comparison().table(figures(costs, shown))));
    bench.run(
        workloads.stream()
            .map(workload -> () -> costs.add(workload, rounds.run(workload, sizeBytes, count))),
        console,
        files);
  }

  private static List<Figure<Map<RmrWorkload, JobCosts>>> figures(
      RmrCosts<RmrWorkload> costs, List<Figure<JobCosts>> figures) {
    return costs.cases().stream()
        .flatMap(
            workload ->
                figures.stream()
                    .map(figure -> figure.ofCase(workload.title() + figure.title(), workload)))
        .toList();
  }

  private static List<Figure<Map<RmrWorkload, JobCosts>>> withPaper(RmrCosts<RmrWorkload> costs) {
    return costs.cases().stream().map(each -> WALL.ofCase(withPaper(each), each)).toList();
  }

  private static String withPaper(RmrWorkload workload) {
    return workload.paperShare().isEmpty()
        ? workload.title()
        : "%s (%.2f)".formatted(workload.title(), workload.paperShare().getAsDouble());
  }

  private static CostPlot plot(
      String title, RmrCosts<RmrWorkload> costs, String unit, Figure<JobCosts> figure) {
    return costs
        .comparison()
        .against(
            RmrVariant.STOCK,
            costs.comparison().variants(),
            title,
            unit,
            costs.cases().stream().map(each -> figure.ofCase(each.title(), each)).toList());
  }

  /** Beside the paper's. */
  private static CostPlot time(String title, RmrCosts<RmrWorkload> costs) {
    CostPlot ours = plot(title, costs, "time, per cent of stock's", WALL);
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>(ours.series());
    bars.put(
        "RMR-NVM of MR, the paper",
        costs.cases().stream()
            .map(workload -> new CostPlot.Bar(100 * workload.paperShare().orElse(0), 0))
            .toList());
    return new CostPlot(title, ours.unit(), ours.categories(), bars);
  }
}
