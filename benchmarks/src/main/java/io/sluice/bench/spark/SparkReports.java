package io.sluice.bench.spark;

import io.sluice.bench.Figure;
import io.sluice.it.spark.jobs.ShuffleJob.ShuffleReport;
import io.sluice.it.spark.jobs.Workload;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The reports of one variant in one round.
 *
 * @param byRun by run and workload
 */
record SparkReports(Map<SparkRun, Map<Workload, ShuffleReport>> byRun) {
  /** Which of an executor's runs of the same shuffle is looked at. */
  enum SparkRun {
    /** The first: classes are loaded, code is interpreted and compiled. */
    COLD("cold", 0),
    /** Most jobs come to it. */
    SECOND("second", 1),
    /** After a single run, the compiler still takes more of the processor than the shuffle. */
    WARM("warm", 3);

    private final String title;
    private final int repetition;

    SparkRun(String title, int repetition) {
      this.title = title;
      this.repetition = repetition;
    }

    String title() {
      return title;
    }

    /** How often the shuffle has run before. */
    int repetition() {
      return repetition;
    }
  }

  static final Figure<ShuffleReport> WALL = Figure.seconds("wall", ShuffleReport::wallMs);
  static final Figure<ShuffleReport> PROCESS_CPU =
      Figure.seconds(
          "CPU of all processes", report -> (report.processCpuNs() + report.serverCpuNs()) / 1e6);

  /** All figures of a shuffle, in the order of rows. */
  static final List<Figure<ShuffleReport>> FIGURES =
      List.of(
          WALL,
          Figure.seconds("CPU of all tasks", report -> report.costs().executorCpuNs() / 1e6),
          PROCESS_CPU,
          Figure.fineSeconds("shuffle write time", report -> report.costs().writeTimeNs() / 1e6),
          Figure.fineSeconds("fetch wait", report -> report.costs().fetchWaitMs()),
          new Figure<>(
              "read from other executors",
              report -> report.costs().remoteBytesRead(),
              bytes -> "%.1f MB".formatted(bytes / 1e6)));

  /** A figure of one run of a workload, among all that a variant reported. */
  static Figure<SparkReports> of(Figure<ShuffleReport> figure, SparkRun run, Workload workload) {
    return figure.of(
        run.title() + " " + workload + " " + figure.title(), reports -> reports.get(run, workload));
  }

  /** Sorts reports, which are in the order of the runs. */
  static SparkReports of(List<ShuffleReport> reports) {
    Map<SparkRun, Map<Workload, ShuffleReport>> byRun = new EnumMap<>(SparkRun.class);
    Map<Workload, Integer> seen = new EnumMap<>(Workload.class);
    for (ShuffleReport report : reports) {
      int repetition = seen.merge(report.workload(), 1, Integer::sum) - 1;
      for (SparkRun run : SparkRun.values()) {
        if (run.repetition() == repetition) {
          byRun.computeIfAbsent(run, key -> new LinkedHashMap<>()).put(report.workload(), report);
        }
      }
    }
    return new SparkReports(byRun);
  }

  /** The workloads of a run, in the order in which they ran first. */
  List<Workload> workloads(SparkRun run) {
    return List.copyOf(byRun.get(run).keySet());
  }

  ShuffleReport get(SparkRun run, Workload workload) {
    return byRun.get(run).get(workload);
  }
}
