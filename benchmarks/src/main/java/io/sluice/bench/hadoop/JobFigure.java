package io.sluice.bench.hadoop;

import io.sluice.bench.Figure;
import io.sluice.it.job.JobCosts;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Figures of a job's costs. */
final class JobFigure {
  static final Figure<JobCosts> WALL = Figure.seconds("wall", JobCosts::wallMs);
  static final Figure<JobCosts> CPU = Figure.seconds("CPU of all tasks", JobCosts::cpuMs);
  static final Figure<JobCosts> SPILL_MERGE =
      Figure.seconds("map spill+merge", costs -> costs.maps().spillAndMergeMs());
  static final Figure<JobCosts> SHUFFLE_MERGE =
      Figure.seconds(
          "reduce shuffle+merge", costs -> costs.reduceShuffleMs() + costs.reduceMergeMs());
  static final Figure<JobCosts> AFTER_MAPS =
      Figure.seconds("reduce shuffle+merge after the last map", JobCosts::reduceAfterMapsMs);
  static final Figure<JobCosts> GC = Figure.seconds("garbage collection", JobCosts::gcMs);
  static final Figure<JobCosts> LOCAL = megabytes("local disk read+written", JobCosts::localBytes);
  static final Figure<JobCosts> NODE_MANAGER_CPU =
      Figure.seconds("NodeManagers' own CPU", JobCosts::nodeManagerCpuMs);
  static final Figure<JobCosts> PEAK_MEMORY =
      megabytes("most memory of a task", JobCosts::peakTaskBytes);

  /** The rows of a bench, where the host was measured, too. */
  static final List<Figure<JobCosts>> MEASURED =
      List.of(
          CPU,
          GC,
          SPILL_MERGE,
          LOCAL,
          WALL,
          SHUFFLE_MERGE,
          AFTER_MAPS,
          NODE_MANAGER_CPU,
          Figure.seconds("CPU of daemons and containers", costs -> costs.host().cpuMs()),
          megabytes("devices read+written", costs -> costs.host().deviceBytes()),
          megabytes("network", costs -> costs.host().networkBytes()),
          PEAK_MEMORY);

  /** The rows of the demo. */
  static final List<Figure<JobCosts>> SHOWN =
      List.of(
          WALL,
          CPU,
          Figure.seconds("map read+map+collect", costs -> costs.maps().collectMs()),
          SPILL_MERGE,
          SHUFFLE_MERGE,
          AFTER_MAPS,
          GC,
          megabytes("local disk read", JobCosts::localReadBytes),
          megabytes("local disk written", JobCosts::localWrittenBytes),
          new Figure<>("spilled records", JobCosts::spilledRecords, "%,.0f"::formatted),
          NODE_MANAGER_CPU,
          PEAK_MEMORY);

  /** The bars of plots, from left to right. */
  static final List<Figure<JobCosts>> PLOTTED =
      List.of(WALL, CPU, SPILL_MERGE, SHUFFLE_MERGE, LOCAL);

  /** The unit of the bars. */
  static final String PLOTTED_UNIT = "per cent of stock defaults";

  private JobFigure() {}

  private static Figure<JobCosts> megabytes(String title, ToDoubleFunction<JobCosts> valueBytes) {
    return new Figure<>(title, valueBytes, bytes -> "%.2f MB".formatted(bytes / 1e6));
  }
}
