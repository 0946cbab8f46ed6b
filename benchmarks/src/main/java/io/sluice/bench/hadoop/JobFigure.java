package io.sluice.bench.hadoop;

import io.sluice.bench.Figure;
import io.sluice.it.job.JobCosts;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/** One figure of a job's costs, with how people read it. */
public enum JobFigure {
  WALL("wall", Unit.SECONDS, JobCosts::wallMs),
  CPU("CPU of all tasks", Unit.SECONDS, JobCosts::cpuMs),
  COLLECT("map read+map+collect", Unit.SECONDS, costs -> costs.maps().collectMs()),
  SPILL_MERGE("map spill+merge", Unit.SECONDS, costs -> costs.maps().spillAndMergeMs()),
  SHUFFLE_MERGE(
      "reduce shuffle+merge",
      Unit.SECONDS,
      costs -> costs.reduceShuffleMs() + costs.reduceMergeMs()),
  AFTER_MAPS("reduce shuffle+merge after the last map", Unit.SECONDS, JobCosts::reduceAfterMapsMs),
  GC("garbage collection", Unit.SECONDS, JobCosts::gcMs),
  LOCAL_READ("local disk read", Unit.MEGABYTES, JobCosts::localReadBytes),
  LOCAL_WRITTEN("local disk written", Unit.MEGABYTES, JobCosts::localWrittenBytes),
  LOCAL("local disk read+written", Unit.MEGABYTES, JobCosts::localBytes),
  SPILLED("spilled records", Unit.COUNT, JobCosts::spilledRecords),
  NODE_MANAGER_CPU("NodeManagers' own CPU", Unit.SECONDS, JobCosts::nodeManagerCpuMs),
  ALL_CPU("CPU of daemons and containers", Unit.SECONDS, costs -> costs.host().cpuMs()),
  DEVICES("devices read+written", Unit.MEGABYTES, costs -> costs.host().deviceBytes()),
  NETWORK("network", Unit.MEGABYTES, costs -> costs.host().networkBytes()),
  PEAK_MEMORY("most memory of a task", Unit.MEGABYTES, JobCosts::peakTaskBytes);

  /** What is known only where the host was measured, too. */
  static final Set<JobFigure> OF_THE_HOST = EnumSet.of(ALL_CPU, DEVICES, NETWORK);

  /** What is drawn, from left to right. */
  static final List<JobFigure> PLOTTED = List.of(WALL, CPU, SPILL_MERGE, SHUFFLE_MERGE, LOCAL);

  /** What the heights of bars are. */
  static final String PLOTTED_UNIT = "per cent of stock defaults";

  /** How a raw value is shown. */
  enum Unit {
    SECONDS("%.1f s", 1e3),
    MEGABYTES("%.2f MB", 1e6),
    COUNT("%,.0f", 1);

    private final String format;
    private final double divisor;

    Unit(String format, double divisor) {
      this.format = format;
      this.divisor = divisor;
    }
  }

  private final String title;
  private final Unit unit;
  private final ToLongFunction<JobCosts> value;

  JobFigure(String title, Unit unit, ToLongFunction<JobCosts> value) {
    this.title = title;
    this.unit = unit;
    this.value = value;
  }

  public String title() {
    return title;
  }

  /** The raw value: milliseconds, bytes or a count. */
  public long of(JobCosts costs) {
    return value.applyAsLong(costs);
  }

  /** For a comparison. */
  Figure<JobCosts> figure() {
    return new Figure<>(title, value::applyAsLong, this::show);
  }

  public String show(JobCosts costs) {
    return show(of(costs));
  }

  public String show(double raw) {
    return unit.format.formatted(raw / unit.divisor);
  }
}
