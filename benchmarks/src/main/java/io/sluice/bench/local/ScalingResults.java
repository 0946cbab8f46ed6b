package io.sluice.bench.local;

import io.sluice.bench.Comparison;
import io.sluice.bench.Figure;
import io.sluice.bench.LinePlot;
import io.sluice.bench.Plot;
import io.sluice.bench.Ratio;
import io.sluice.bench.ResultPage;
import io.sluice.bench.Spread;
import io.sluice.bench.hadoop.Size;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.report.Machine;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The page of scaling: what was measured, what is simulated, how well the model fits, and where
 * tasks waited for each other.
 *
 * <p>Not thread-safe.
 */
final class ScalingResults {
  private static final List<Integer> THREADS = List.of(1, 2, 4, 8, 16, 32, 64);
  private static final int PAPERS_THREADS = 8;
  private static final double PAPERS_LEAST = 0.78; // Hone, efficiency at eight threads
  private static final double PAPERS_MOST = 0.97;
  private static final int MOST_POINTS = 8;
  private static final List<ScalingVariant> MODELLED =
      List.of(ScalingVariant.ONE_CORE, ScalingVariant.ONE, ScalingVariant.TWO);
  private static final Ratio<ScalingVariant> BY_THREADS =
      new Ratio<>(ScalingVariant.TWO, ScalingVariant.ONE);
  private static final Ratio<ScalingVariant> BY_CORES =
      new Ratio<>(ScalingVariant.TWO, ScalingVariant.ONE_CORE);
  private static final Ratio<ScalingVariant> BY_COMPANY =
      new Ratio<>(ScalingVariant.BESIDE_ANOTHER, ScalingVariant.ONE_CORE);

  private final Comparison<ScalingVariant, Map<ScalingWorkload, ScalingRun>> comparison =
      new Comparison<>(List.of(BY_THREADS, BY_CORES, BY_COMPANY));
  private final HadoopDistribution hadoop;
  private final long sizeBytes;
  private final Map<ScalingWorkload, List<Contention.Point>> waits;

  ScalingResults(
      HadoopDistribution hadoop,
      long sizeBytes,
      Map<ScalingWorkload, List<Contention.Point>> waits) {
    this.hadoop = hadoop;
    this.sizeBytes = sizeBytes;
    this.waits = waits;
  }

  void add(Map<ScalingVariant, Map<ScalingWorkload, ScalingRun>> round) {
    comparison.add(round);
  }

  private static String seconds(double ms) {
    return "%.2f s".formatted(ms / 1e3);
  }

  private static Figure<Map<ScalingWorkload, ScalingRun>> wall(ScalingWorkload workload) {
    return LocalFigure.WALL.of(
        workload.title() + ", wall of the process", round -> round.get(workload).process());
  }

  private static Figure<Map<ScalingWorkload, ScalingRun>> tasks(ScalingWorkload workload) {
    return new Figure<>(
        workload.title() + ", from the first task to the last",
        round -> round.get(workload).tasksMs(),
        ScalingResults::seconds);
  }

  private static Figure<Map<ScalingWorkload, ScalingRun>> cpu(ScalingWorkload workload) {
    return LocalFigure.CPU.of(
        workload.title() + ", CPU of the process", round -> round.get(workload).process());
  }

  private static Figure<Map<ScalingWorkload, ScalingRun>> gc(ScalingWorkload workload) {
    return LocalFigure.GC_SHARE.of(
        workload.title() + ", share of CPU in garbage collection",
        round -> round.get(workload).process());
  }

  /** T1 / (2 T2), where a ratio is T2 / T1. */
  private Spread efficiency(
      Figure<Map<ScalingWorkload, ScalingRun>> figure, Ratio<ScalingVariant> ratio) {
    Spread share = comparison.ratios(figure, ratio);
    return new Spread(0.5 / share.max(), 0.5 / share.median(), 0.5 / share.min());
  }

  /** T1 / T2, where a ratio is T2 / T1 and both do the same work. */
  private Spread company(Figure<Map<ScalingWorkload, ScalingRun>> figure) {
    Spread share = comparison.ratios(figure, BY_COMPANY);
    return new Spread(1 / share.max(), 1 / share.median(), 1 / share.min());
  }

  ResultPage page() {
    String title =
        "The engine from 1 thread to 2, measured, and to 64, simulated: TeraSort of %s and LDA, Hadoop %s, rounds: %d"
            .formatted(Size.show(sizeBytes), hadoop.version(), comparison.rounds().size());
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("sizeBytes", sizeBytes);
    data.put("rounds", comparison.rounds());
    data.put("waits", waits);
    data.put(
        "simulatedFrom",
        runs(ScalingVariant.ONE).stream()
            .map(
                round -> {
                  Map<ScalingWorkload, Object> work = new LinkedHashMap<>();
                  round.forEach((workload, run) -> work.put(workload, work(run)));
                  return work;
                })
            .toList());
    Map<String, TextTable> tables = new LinkedHashMap<>();
    tables.put("Measured:", comparison.table(measured()));
    tables.put("Parallel efficiency, T1 / (2 T2), measured; target: 90 %:", efficiencies());
    tables.put("Speed-up against one thread on one core, **simulated**:", simulated());
    tables.put(
        "The model against the measurements, from the first task to the last (simulated /"
            + " measured):",
        fit());
    tables.put(
        "Where tasks waited for each other: a run of each with two threads, of which the JVM has"
            + " recorded every wait of a task's thread:",
        contention());
    Map<String, Plot> plots = new LinkedHashMap<>();
    plots.put("", plot(title));
    return new ResultPage("bench-scaling", title, Machine.here(), data, tables, notes(), plots);
  }

  private static List<Figure<Map<ScalingWorkload, ScalingRun>>> measured() {
    List<Figure<Map<ScalingWorkload, ScalingRun>>> figures = new ArrayList<>();
    for (ScalingWorkload workload : ScalingWorkload.values()) {
      figures.addAll(List.of(wall(workload), tasks(workload), cpu(workload), gc(workload)));
    }
    return figures;
  }

  private TextTable efficiencies() {
    TextTable table =
        new TextTable(
            List.of(
                "median (min–max)",
                "1 → 2 threads",
                "1 → 2 cores",
                "the machine: 1 → 2 processes of 1 core"));
    for (ScalingWorkload workload : ScalingWorkload.values()) {
      for (Figure<Map<ScalingWorkload, ScalingRun>> figure :
          List.of(wall(workload), tasks(workload))) {
        table.add(
            List.of(
                figure.title(),
                efficiency(figure, BY_THREADS).show(ScalingResults::percent),
                efficiency(figure, BY_CORES).show(ScalingResults::percent),
                company(figure).show(ScalingResults::percent)));
      }
    }
    return table;
  }

  private static String percent(double share) {
    return "%.0f %%".formatted(100 * share);
  }

  private List<Map<ScalingWorkload, ScalingRun>> runs(ScalingVariant variant) {
    return comparison.rounds().stream().map(round -> round.get(variant)).toList();
  }

  private static List<JobWork> work(ScalingRun run) {
    return run.jobs().stream().map(JobWork::ofOneThread).toList();
  }

  private double lockShare(ScalingWorkload workload, ScalingRun run) {
    double workMs = work(run).stream().mapToDouble(JobWork::ms).sum();
    return Contention.lockShare(waits.get(workload), workMs);
  }

  private double tasksMs(ScalingWorkload workload, ScalingRun run, int cores, int slots) {
    EngineSchedule schedule = new EngineSchedule(cores, slots, lockShare(workload, run));
    return work(run).stream().mapToDouble(schedule::makespanMs).sum();
  }

  private Spread perRound(ScalingWorkload workload, Function<ScalingRun, Double> figure) {
    return Spread.of(
        runs(ScalingVariant.ONE).stream().map(round -> figure.apply(round.get(workload))).toList());
  }

  /**
   * Simulated.
   *
   * @param isWhole with what is before, between and after the tasks of jobs
   */
  private Spread speedUp(ScalingWorkload workload, int threads, boolean isWhole) {
    return perRound(
        workload,
        run -> {
          double serialMs = isWhole ? run.serialMs() : 0;
          return (serialMs + tasksMs(workload, run, 1, 1))
              / (serialMs + tasksMs(workload, run, threads, threads));
        });
  }

  private TextTable simulated() {
    List<String> header = new ArrayList<>(List.of("threads and cores"));
    for (ScalingWorkload workload : ScalingWorkload.values()) {
      header.add(workload.title() + ", tasks");
      header.add("efficiency");
      header.add(workload.title() + ", process");
    }
    header.add("Hone's efficiency");
    TextTable table = new TextTable(header);
    for (int threads : THREADS) {
      List<String> row = new ArrayList<>(List.of(Integer.toString(threads)));
      for (ScalingWorkload workload : ScalingWorkload.values()) {
        Spread tasks = speedUp(workload, threads, false);
        row.add(tasks.show("%.2f"::formatted));
        row.add(percent(tasks.median() / threads));
        row.add(speedUp(workload, threads, true).show("%.2f"::formatted));
      }
      row.add(
          threads == PAPERS_THREADS
              ? "%.0f–%.0f %%".formatted(100 * PAPERS_LEAST, 100 * PAPERS_MOST)
              : "");
      table.add(row);
    }
    return table;
  }

  private TextTable fit() {
    List<String> header = new ArrayList<>(List.of("median (min–max)"));
    for (ScalingVariant variant : MODELLED) {
      header.add(variant.title());
    }
    TextTable table = new TextTable(header);
    for (ScalingWorkload workload : ScalingWorkload.values()) {
      List<String> row = new ArrayList<>(List.of(workload.title()));
      for (ScalingVariant variant : MODELLED) {
        List<Double> shares = new ArrayList<>();
        comparison
            .rounds()
            .forEach(
                round ->
                    shares.add(
                        tasksMs(
                                workload,
                                round.get(ScalingVariant.ONE).get(workload),
                                variant.cores(),
                                variant.threads())
                            / round.get(variant).get(workload).tasksMs()));
        row.add(Spread.of(shares).show("%.2f"::formatted));
      }
      table.add(row);
    }
    return table;
  }

  private TextTable contention() {
    TextTable table =
        new TextTable(List.of("workload", "waited for", "in", "kind", "times", "waited"));
    waits.forEach(
        (workload, points) ->
            points.stream()
                .limit(MOST_POINTS)
                .forEach(
                    point ->
                        table.add(
                            List.of(
                                workload.title(),
                                point.lock(),
                                point.method(),
                                point.isLock() ? "lock" : "other's work",
                                Long.toString(point.count()),
                                "%.3f s".formatted(point.waitedMs() / 1e3)))));
    return table;
  }

  private List<String> notes() {
    StringBuilder serial = new StringBuilder();
    for (ScalingWorkload workload : ScalingWorkload.values()) {
      serial.append(
          " %s: serial %s, under the most contended lock %s of the tasks' time."
              .formatted(
                  workload.title(),
                  perRound(workload, ScalingRun::serialMs).show(ScalingResults::seconds),
                  perRound(workload, run -> lockShare(workload, run))
                      .show(share -> "%.1f %%".formatted(100 * share))));
    }
    return List.of(
        "Threads are slots: so many maps, sorts and reduces each. With one of each a map reads"
            + " while the one before sorts, so \"1 thread, 2 cores\" uses more than one core, and"
            + " its efficiency at two is too low by that; compilation and garbage collection run on"
            + " the second core, too. \"1 thread, 1 core\" is the same engine with all threads of"
            + " its process on one processor; \"beside another process\" is that while a second one does"
            + " the same on the other processor, so what it loses the machine loses. Exchange is pull in all; TeraSort has %d maps and %d"
                .formatted(ScalingWorkload.TERA_SORT.maps(), ScalingWorkload.TERA_SORT.reduces())
            + " reduces, LDA %d and %d. Outputs were compared in a round before these."
                .formatted(ScalingWorkload.LDA.maps(), ScalingWorkload.LDA.reduces()),
        "Beyond two threads nothing was measured: this machine has no more cores. What is simulated"
            + " takes from the run with one thread and two cores, in each round, from its job"
            + " history: for each map the time to read and collect and that to sort and write, for"
            + " each reduce all from the map outputs to its end, each without the wait for another"
            + " task; and the time before, between and after the tasks (start of the JVM,"
            + " submission, set-up, commit, end), which is serial and counts in \"process\" alone. A"
            + " list scheduler runs them on as many cores as slots; reduces begin after the last"
            + " map. Work under the lock that was waited for most is one thread's at a time: its"
            + " share of a task's time is estimated as the root of the share of time that two"
            + " threads waited for it."
            + serial,
        "What the model leaves out: bandwidth of memory and disks, caches, more garbage collection"
            + " with more threads, and that tasks would be larger or more on such a machine: a job"
            + " of 64 maps has one for each of 64 threads.");
  }

  private LinePlot plot(String title) {
    Map<String, List<LinePlot.Point>> series = new LinkedHashMap<>();
    series.put("ideal", THREADS.stream().map(n -> new LinePlot.Point(n, n, 0)).toList());
    for (ScalingWorkload workload : ScalingWorkload.values()) {
      series.put(
          workload.title() + ", tasks, simulated",
          THREADS.stream().map(n -> LinePlot.Point.of(n, speedUp(workload, n, false))).toList());
      series.put(
          workload.title() + ", process, simulated",
          THREADS.stream().map(n -> LinePlot.Point.of(n, speedUp(workload, n, true))).toList());
      Spread measured = efficiency(tasks(workload), BY_CORES);
      series.put(
          workload.title() + ", tasks, measured on 2 cores",
          List.of(
              LinePlot.Point.of(
                  2, new Spread(2 * measured.min(), 2 * measured.median(), 2 * measured.max()))));
    }
    double middle = PAPERS_THREADS * (PAPERS_LEAST + PAPERS_MOST) / 2;
    series.put(
        "Hone's paper, 8 threads",
        List.of(
            new LinePlot.Point(
                PAPERS_THREADS, middle, PAPERS_THREADS * (PAPERS_MOST - PAPERS_LEAST) / 2)));
    return new LinePlot(title, "threads and cores", "speed-up", series);
  }
}
