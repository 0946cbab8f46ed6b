package io.sluice.bench.local;

import io.sluice.bench.Bench;
import io.sluice.bench.Comparison;
import io.sluice.bench.Comparison.Ratio;
import io.sluice.bench.Figure;
import io.sluice.bench.Figure.Spread;
import io.sluice.bench.Plot.LinePlot;
import io.sluice.bench.hadoop.Size;
import io.sluice.bench.local.EngineSchedule.JobWork;
import io.sluice.bench.local.ScalingBench.ScalingJobs.ScalingRun;
import io.sluice.bench.local.ScalingBench.ScalingJobs.ScalingVariant;
import io.sluice.bench.local.ScalingBench.ScalingJobs.ScalingWorkload;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

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
  private static final List<ScalingWorkload> WORKLOADS = List.of(ScalingWorkload.values());
  private static final List<ScalingVariant> MODELLED =
      List.of(ScalingVariant.ONE_CORE, ScalingVariant.ONE, ScalingVariant.TWO);
  private static final Ratio<ScalingVariant> BY_THREADS =
      new Ratio<>(ScalingVariant.TWO, ScalingVariant.ONE);
  private static final Ratio<ScalingVariant> BY_CORES =
      new Ratio<>(ScalingVariant.TWO, ScalingVariant.ONE_CORE);
  private static final Ratio<ScalingVariant> BY_COMPANY =
      new Ratio<>(ScalingVariant.BESIDE_ANOTHER, ScalingVariant.ONE_CORE);
  private static final Figure<ScalingRun> WALL =
      LocalFigure.WALL.of("wall of the process", ScalingRun::process);
  private static final Figure<ScalingRun> TASKS =
      Figure.fineSeconds("from the first task to the last", ScalingRun::tasksMs);
  private static final List<Figure<ScalingRun>> MEASURED =
      List.of(
          WALL,
          TASKS,
          LocalFigure.CPU.of("CPU of the process", ScalingRun::process),
          LocalFigure.GC_SHARE.of("share of CPU in garbage collection", ScalingRun::process));
  private static final DoubleFunction<String> PERCENT = share -> "%.0f %%".formatted(100 * share);

  private final Comparison<ScalingVariant, Map<ScalingWorkload, ScalingRun>> comparison =
      new Comparison<>(List.of(BY_THREADS, BY_CORES, BY_COMPANY));
  private final Map<ScalingWorkload, List<Contention.Point>> waits;
  private final Bench bench;

  ScalingResults(
      String hadoopVersion, long sizeBytes, Map<ScalingWorkload, List<Contention.Point>> waits) {
    this.waits = waits;
    this.bench =
        Bench.of(
                "bench-scaling",
                "The engine from 1 thread to 2, measured, and to 64, simulated: TeraSort of %s and LDA, Hadoop %s",
                Size.show(sizeBytes),
                hadoopVersion)
            .data("sizeBytes", sizeBytes)
            .rounds(comparison)
            .data("waits", waits)
            .dataOf("simulatedFrom", this::simulatedFrom)
            .table("Measured:", comparison, ofAll(MEASURED))
            .table("Parallel efficiency, T1 / (2 T2), measured; target: 90 %:", this::efficiencies)
            .table("Speed-up against one thread on one core, **simulated**:", this::simulated)
            .table(
                "The model against the measurements, from the first task to the last (simulated / measured):",
                this::fit)
            .table(
                "Where tasks waited for each other: a run of each with two threads, in which the JVM recorded every wait of a task's thread:",
                this::contention)
            .notes(this::notes)
            .plot("", this::plot);
  }

  Bench bench() {
    return bench;
  }

  Comparison<ScalingVariant, Map<ScalingWorkload, ScalingRun>> comparison() {
    return comparison;
  }

  private static Figure<Map<ScalingWorkload, ScalingRun>> of(
      ScalingWorkload workload, Figure<ScalingRun> figure) {
    return figure.ofCase(workload.title() + ", " + figure.title(), workload);
  }

  private static List<Figure<Map<ScalingWorkload, ScalingRun>>> ofAll(
      List<Figure<ScalingRun>> figures) {
    return WORKLOADS.stream()
        .flatMap(workload -> figures.stream().map(figure -> of(workload, figure)))
        .toList();
  }

  /**
   * A factor times T1 / T2, where a ratio is T2 / T1.
   *
   * @param factor a half where twice the threads do the same work, 1 where they do twice the work
   */
  private Spread efficiency(
      Figure<Map<ScalingWorkload, ScalingRun>> figure, Ratio<ScalingVariant> ratio, double factor) {
    Spread share = comparison.ratios(figure, ratio);
    return new Spread(factor / share.max(), factor / share.median(), factor / share.min());
  }

  private List<Map<ScalingWorkload, List<JobWork>>> simulatedFrom() {
    return runs().stream()
        .map(
            round -> {
              Map<ScalingWorkload, List<JobWork>> work = new LinkedHashMap<>();
              round.forEach((workload, run) -> work.put(workload, work(run)));
              return work;
            })
        .toList();
  }

  private TextTable efficiencies() {
    TextTable table =
        new TextTable(
            List.of(
                "median (min–max)",
                "1 → 2 threads",
                "1 → 2 cores",
                "the machine: 1 → 2 processes of 1 core"));
    for (Figure<Map<ScalingWorkload, ScalingRun>> figure : ofAll(List.of(WALL, TASKS))) {
      table.add(
          List.of(
              figure.title(),
              efficiency(figure, BY_THREADS, 0.5).show(PERCENT),
              efficiency(figure, BY_CORES, 0.5).show(PERCENT),
              efficiency(figure, BY_COMPANY, 1).show(PERCENT)));
    }
    return table;
  }

  /** The runs with one thread and two cores, from which all others are simulated. */
  private List<Map<ScalingWorkload, ScalingRun>> runs() {
    return comparison.rounds().stream().map(round -> round.get(ScalingVariant.ONE)).toList();
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

  private Spread perRound(ScalingWorkload workload, ToDoubleFunction<ScalingRun> figure) {
    return new Figure<>("", figure, raw -> "")
        .of(runs().stream().map(round -> round.get(workload)).toList());
  }

  /**
   * Simulated.
   *
   * @param isWhole with the time before, between and after the tasks of jobs
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
    for (ScalingWorkload workload : WORKLOADS) {
      header.add(workload.title() + ", tasks");
      header.add("efficiency");
      header.add(workload.title() + ", process");
    }
    header.add("Hone's efficiency");
    TextTable table = new TextTable(header);
    for (int threads : THREADS) {
      List<String> row = new ArrayList<>(List.of(Integer.toString(threads)));
      for (ScalingWorkload workload : WORKLOADS) {
        Spread tasks = speedUp(workload, threads, false);
        row.add(tasks.show("%.2f"::formatted));
        row.add(PERCENT.apply(tasks.median() / threads));
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
    TextTable table =
        new TextTable(
            Stream.concat(
                    Stream.of("median (min–max)"), MODELLED.stream().map(ScalingVariant::title))
                .toList());
    for (ScalingWorkload workload : WORKLOADS) {
      List<String> row = new ArrayList<>(List.of(workload.title()));
      for (ScalingVariant variant : MODELLED) {
        List<Double> shares =
            comparison.rounds().stream()
                .map(
                    round ->
                        tasksMs(
                                workload,
                                round.get(ScalingVariant.ONE).get(workload),
                                variant.cores(),
                                variant.threads())
                            / round.get(variant).get(workload).tasksMs())
                .toList();
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
    for (ScalingWorkload workload : WORKLOADS) {
      serial.append(
          " %s: serial %s, under the most contended lock %s of the tasks' time."
              .formatted(
                  workload.title(),
                  perRound(workload, ScalingRun::serialMs).show(Figure::fineSeconds),
                  perRound(workload, run -> lockShare(workload, run))
                      .show(share -> "%.1f %%".formatted(100 * share))));
    }
    return List.of(
        "Threads are task permits: so many maps, sorts and reduces each."
            + " With one of each, a map reads while the one before sorts, so \"1 thread, 2 cores\" uses more than one core. Its efficiency at two is too low by that. Compilation and garbage collection run on the second core, too."
            + " \"1 thread, 1 core\" is the same engine with all threads of its process on one processor."
            + " \"Beside another process\" is that while a second process does the same on the other processor: the machine loses the difference."
            + " Exchange is pull in all. TeraSort has %d maps and %d reduces, LDA %d and %d. Outputs were compared in a round before these."
                .formatted(
                    ScalingWorkload.TERA_SORT.maps(),
                    ScalingWorkload.TERA_SORT.reduces(),
                    ScalingWorkload.LDA.maps(),
                    ScalingWorkload.LDA.reduces()),
        "Beyond two threads nothing was measured: this machine has no more cores. The simulation takes its times from the run with one thread and two cores, in each round, from its job history."
            + " For each map it takes the time to read and collect and that to sort and write, for each reduce all from the map outputs to its end, each without the wait for another task."
            + " The time before, between and after the tasks (start of the JVM, submission, set-up, commit, end) is serial, and counts in \"process\" alone."
            + " A list scheduler runs the tasks on as many cores as permits; reduces begin after the last map."
            + " Work under the lock that was waited for most is one thread's at a time: its share of a task's time is estimated as the root of the share of time that two threads waited for it."
            + serial,
        "The model leaves out bandwidth of memory and disks, caches, and more garbage collection with more threads. It leaves out, too, that tasks would be larger or more on such a machine: a job of 64 maps has one for each of 64 threads.");
  }

  private LinePlot plot(String title) {
    Map<String, List<LinePlot.Point>> series = new LinkedHashMap<>();
    series.put("ideal", THREADS.stream().map(n -> new LinePlot.Point(n, n, 0)).toList());
    for (ScalingWorkload workload : WORKLOADS) {
      for (boolean isWhole : List.of(false, true)) {
        series.put(
            "%s, %s, simulated".formatted(workload.title(), isWhole ? "process" : "tasks"),
            THREADS.stream()
                .map(n -> LinePlot.Point.of(n, speedUp(workload, n, isWhole)))
                .toList());
      }
      series.put(
          workload.title() + ", tasks, measured on 2 cores",
          List.of(LinePlot.Point.of(2, efficiency(of(workload, TASKS), BY_CORES, 1))));
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
