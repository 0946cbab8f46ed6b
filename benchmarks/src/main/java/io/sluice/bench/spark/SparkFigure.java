package io.sluice.bench.spark;

import io.sluice.bench.Figure;
import io.sluice.it.spark.jobs.ShuffleReport;
import io.sluice.it.spark.jobs.Workload;
import java.util.function.ToDoubleFunction;

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
  REMOTE("read from other executors", "%.1f MB", report -> report.costs().remoteBytesRead() / 1e6);

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
