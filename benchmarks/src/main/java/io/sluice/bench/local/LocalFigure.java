package io.sluice.bench.local;

import io.sluice.bench.Figure;
import io.sluice.bench.hadoop.Size;
import io.sluice.it.local.LocalJobClient.ProcessCosts;
import java.util.List;
import java.util.function.DoubleFunction;

/** Figures of a client's whole process. */
final class LocalFigure {
  private static final DoubleFunction<String> SIZE = bytes -> Size.show(Math.round(bytes));

  static final Figure<ProcessCosts> WALL = Figure.seconds("wall", ProcessCosts::wallMs);
  static final Figure<ProcessCosts> CPU = Figure.seconds("CPU", ProcessCosts::cpuMs);
  static final Figure<ProcessCosts> GC_SHARE =
      new Figure<>(
          "share of CPU in garbage collection",
          costs -> (double) costs.gcCpuMs() / costs.cpuMs(),
          share -> "%.1f %%".formatted(100 * share));
  static final Figure<ProcessCosts> DISK_WRITE =
      new Figure<>("written to disk", ProcessCosts::writtenBytes, SIZE);

  /** All, in the order of rows. */
  static final List<Figure<ProcessCosts>> ALL =
      List.of(
          WALL,
          CPU,
          Figure.seconds("pauses for garbage collection", ProcessCosts::gcMs),
          Figure.seconds("CPU of garbage collection", ProcessCosts::gcCpuMs),
          GC_SHARE,
          DISK_WRITE,
          new Figure<>("most memory", ProcessCosts::peakRssBytes, SIZE));

  /** The unit of the bars where {@link #GC_SHARE} is drawn. */
  static final String GC_PLOT_UNIT =
      "garbage collection, in per cent of the process's CPU (target: 2 at most)";

  private LocalFigure() {}
}
