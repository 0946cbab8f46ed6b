package io.sluice.bench.local;

import io.sluice.bench.Figure;
import io.sluice.bench.hadoop.Size;
import io.sluice.it.local.ProcessCosts;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.ToLongFunction;

/** One figure of a client's whole process. */
enum LocalFigure {
  WALL("wall", ProcessCosts::wallMs, LocalFigure::seconds),
  CPU("CPU", ProcessCosts::cpuMs, LocalFigure::seconds),
  GC("garbage collection", ProcessCosts::gcMs, LocalFigure::seconds),
  DISK_WRITE("written to disk", ProcessCosts::writtenBytes, LocalFigure::megabytes),
  MEMORY("most memory", ProcessCosts::peakRssBytes, LocalFigure::megabytes);

  private final String title;
  private final ToLongFunction<ProcessCosts> value;
  private final DoubleFunction<String> show;

  LocalFigure(String title, ToLongFunction<ProcessCosts> value, DoubleFunction<String> show) {
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

  static List<LocalFigure> all() {
    return Arrays.asList(values());
  }

  String title() {
    return title;
  }

  Figure<ProcessCosts> of(String job) {
    return new Figure<>(job + ", " + title, value::applyAsLong, show);
  }
}
