package io.sluice.bench.model;

import io.sluice.bench.Figure.Spread;
import io.sluice.it.spark.jobs.PersistedRun;
import io.sluice.it.spark.jobs.PersistedRun.RanTask;
import io.sluice.it.spark.jobs.PersistedRun.StageRun;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The parameters of one stage of one benchmark over blocks that are kept in one way.
 *
 * <p>Thread contract: immutable.
 *
 * @param model with Time_start and Time_cleanup, the medians of all runs
 * @param task Time_Task in ms over the bytes of text that a block was made of
 */
record StageFit(StageModel model, LineFit task) {

  /** Fits the stage with this number of all runs. */
  static StageFit of(List<PersistedRun> sizes, int stage, int cores) {
    List<LineFit.Point> points = new ArrayList<>();
    List<Double> startsMs = new ArrayList<>();
    List<Double> cleanupsMs = new ArrayList<>();
    for (PersistedRun size : sizes) {
      for (List<StageRun> stages : size.runs()) {
        StageRun run = stages.get(stage);
        run.tasks().forEach(t -> points.add(new LineFit.Point(blockBytes(size), t.timeMs())));
        startsMs.add(run.tasks().stream().mapToDouble(RanTask::startMs).min().orElseThrow());
        cleanupsMs.add(
            run.wallMs()
                - run.tasks().stream()
                    .mapToDouble(t -> t.startMs() + t.timeMs())
                    .max()
                    .orElseThrow());
      }
    }
    return new StageFit(
        new StageModel(Spread.of(startsMs).median(), Spread.of(cleanupsMs).median(), cores),
        LineFit.of(points));
  }

  /** The bytes of text that a block was made of. */
  static double blockBytes(PersistedRun size) {
    return (double) size.textBytes() / size.blocks();
  }

  /** The time of a stage whose tasks take what the line says, and wait for the network. */
  double predictMs(PersistedRun size, double networkMs) {
    double taskMs = task.at(blockBytes(size)) + networkMs;
    return model.timeMs(Collections.nCopies(size.blocks(), taskMs));
  }

  /** The time by the equation alone, with the times that the tasks of a run had. */
  double fromOwnTasksMs(StageRun run) {
    return model.timeMs(
        run.tasks().stream()
            .sorted((one, other) -> Long.compare(one.startMs(), other.startMs()))
            .map(task -> (double) task.timeMs())
            .toList());
  }

  /**
   * A cost that grows with a size: {@code base + slope * x}, neither of them negative.
   *
   * <p>Thread contract: immutable.
   *
   * @param base for nothing
   * @param slope for each unit of size
   */
  record LineFit(double base, double slope) {

    /**
     * A measurement.
     *
     * @param x the size
     * @param y the cost
     */
    record Point(double x, double y) {}

    /**
     * The line with the least sum of squared errors. If it falls, that is the mean, and if it
     * begins below zero, the best through the origin.
     *
     * @throws IllegalArgumentException if there are not two different sizes
     */
    static LineFit of(List<Point> points) {
      if (points.stream().mapToDouble(Point::x).distinct().count() < 2) {
        throw new IllegalArgumentException("a line needs two sizes, got " + points);
      }
      double meanX = points.stream().mapToDouble(Point::x).average().orElseThrow();
      double meanY = points.stream().mapToDouble(Point::y).average().orElseThrow();
      double xy = points.stream().mapToDouble(p -> (p.x() - meanX) * (p.y() - meanY)).sum();
      double xx = points.stream().mapToDouble(p -> (p.x() - meanX) * (p.x() - meanX)).sum();
      double slope = xy / xx;
      double base = meanY - slope * meanX;
      if (slope < 0) {
        return new LineFit(Math.max(0, meanY), 0);
      }
      return base < 0 ? throughOrigin(points) : new LineFit(base, slope);
    }

    private static LineFit throughOrigin(List<Point> points) {
      double xy = points.stream().mapToDouble(p -> p.x() * p.y()).sum();
      double xx = points.stream().mapToDouble(p -> p.x() * p.x()).sum();
      return new LineFit(0, Math.max(0, xy / xx));
    }

    double at(double x) {
      return base + slope * x;
    }
  }

  /**
   * The first equation of Chen and Rodero (section V): {@code Time_stage = Time_start + max over
   * cores of the sum of its tasks' times + Time_cleanup}. Which tasks a core runs is not in the
   * equation: each that ends takes the next of all that wait, as in Spark.
   *
   * <p>Thread contract: immutable.
   *
   * @param startMs from the submission of a stage to its first task
   * @param cleanupMs from its last task to its completion
   * @param cores P, of the whole cluster
   */
  record StageModel(double startMs, double cleanupMs, int cores) {

    /**
     * How long a stage takes.
     *
     * @param tasksMs its tasks, in the order in which they begin
     */
    double timeMs(List<Double> tasksMs) {
      return startMs + busiestCoreMs(tasksMs) + cleanupMs;
    }

    private double busiestCoreMs(List<Double> tasksMs) {
      PriorityQueue<Double> busyUntilMs = new PriorityQueue<>();
      double lastMs = 0;
      for (double taskMs : tasksMs) {
        double beginMs = busyUntilMs.size() < cores ? 0 : busyUntilMs.remove();
        busyUntilMs.add(beginMs + taskMs);
        lastMs = Math.max(lastMs, beginMs + taskMs);
      }
      return lastMs;
    }
  }
}
