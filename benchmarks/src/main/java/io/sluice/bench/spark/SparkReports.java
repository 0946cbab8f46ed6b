package io.sluice.bench.spark;

import io.sluice.bench.Figure;
import io.sluice.it.spark.jobs.ShuffleReport;
import io.sluice.it.spark.jobs.Workload;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What one variant reported in one round.
 *
 * @param byRun by run and workload
 */
record SparkReports(Map<SparkRun, Map<Workload, ShuffleReport>> byRun) {
  /** Which of an executor's runs of the same shuffle is looked at. */
  enum SparkRun {
    /** The first: classes are loaded, code is interpreted and compiled. */
    COLD("cold", 0),
    /** What most jobs come to. */
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

  /** One figure of a shuffle in Spark, with how people read it. */
  enum SparkFigure {
    WALL("wall", "%.1f s", report -> report.wallMs() / 1e3),
    CPU("CPU of all tasks", "%.1f s", report -> report.costs().executorCpuNs() / 1e9),
    PROCESS_CPU(
        "CPU of all processes",
        "%.1f s",
        report -> (report.processCpuNs() + report.serverCpuNs()) / 1e9),
    WRITE("shuffle write time", "%.2f s", report -> report.costs().writeTimeNs() / 1e9),
    FETCH_WAIT("fetch wait", "%.2f s", report -> report.costs().fetchWaitMs() / 1e3),
    REMOTE(
        "read from other executors", "%.1f MB", report -> report.costs().remoteBytesRead() / 1e6);

    private final String title;
    private final String format;
    private final ToDoubleFunction<ShuffleReport> value;

    SparkFigure(String title, String format, ToDoubleFunction<ShuffleReport> value) {
      this.title = title;
      this.format = format;
      this.value = value;
    }

    String title() {
      return title;
    }

    /** That of one run of a workload, among all that a variant reported. */
    Figure<SparkReports> of(SparkRun run, Workload workload) {
      return new Figure<>(
          run.title() + " " + workload + " " + title,
          reports -> value.applyAsDouble(reports.get(run, workload)),
          this::show);
    }

    private String show(double figure) {
      return format.formatted(figure);
    }
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

  /** Those of a run, in the order in which they ran first. */
  List<Workload> workloads(SparkRun run) {
    return List.copyOf(byRun.get(run).keySet());
  }

  ShuffleReport get(SparkRun run, Workload workload) {
    return byRun.get(run).get(workload);
  }
}
