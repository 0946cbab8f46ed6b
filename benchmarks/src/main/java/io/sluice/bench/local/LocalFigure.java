package io.sluice.bench.local;

import io.sluice.bench.Figure;
import io.sluice.bench.hadoop.Size;
import io.sluice.it.local.ProcessCosts;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** One figure of a client's whole process. */
enum LocalFigure {
  WALL("wall", ProcessCosts::wallMs, LocalFigure::seconds),
  CPU("CPU", ProcessCosts::cpuMs, LocalFigure::seconds),
  GC("pauses for garbage collection", ProcessCosts::gcMs, LocalFigure::seconds),
  GC_CPU("CPU of garbage collection", ProcessCosts::gcCpuMs, LocalFigure::seconds),
  GC_SHARE(
      "share of CPU in garbage collection",
      costs -> (double) costs.gcCpuMs() / costs.cpuMs(),
      share -> "%.1f %%".formatted(100 * share)),
  DISK_WRITE("written to disk", ProcessCosts::writtenBytes, LocalFigure::megabytes),
  MEMORY("most memory", ProcessCosts::peakRssBytes, LocalFigure::megabytes);

  /** What the heights of bars are where {@link #GC_SHARE} is drawn. */
  static final String GC_PLOT_UNIT =
      "garbage collection, in per cent of the process's CPU (target: 2 at most)";

  private final String title;
  private final ToDoubleFunction<ProcessCosts> value;
  private final DoubleFunction<String> show;

  LocalFigure(String title, ToDoubleFunction<ProcessCosts> value, DoubleFunction<String> show) {
    this.title = title;
    this.value = value;
    this.show = show;
  }

  private static String seconds(double ms) {
    return "%.1f s".formatted(ms / 1e3);
  }

  private static String megabytes(double bytes) {
    return Size.show(Math.round(bytes));
  }

  String title() {
    return title;
  }

  /** Of what a round reports, where it has the costs. */
  <R> Figure<R> of(String name, Function<R, ProcessCosts> costs) {
    return new Figure<>(name, round -> value.applyAsDouble(costs.apply(round)), show);
  }

  /** Of one case, where a round reports the costs of each. */
  <C> Figure<Map<C, ProcessCosts>> ofCase(String name, C measured) {
    return of(name, costs -> costs.get(measured));
  }
}
