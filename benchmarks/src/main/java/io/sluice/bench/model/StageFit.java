package io.sluice.bench.model;

import io.sluice.bench.Spread;
import io.sluice.it.spark.jobs.PersistedRun;
import io.sluice.it.spark.jobs.RanTask;
import io.sluice.it.spark.jobs.StageRun;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The parameters of one stage of one benchmark over blocks that are kept in one way.
 *
 * <p>Thread contract: immutable.
 *
 * @param model with Time_start and Time_cleanup, the medians of all runs
 * @param task Time_Task in ms over the bytes of text that a block was made of
 */
record StageFit(StageModel model, LineFit task) {

  /** Of the stage with this number in each of the runs. */
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

  /** Of the text that a block was made of. */
  static double blockBytes(PersistedRun size) {
    return (double) size.textBytes() / size.blocks();
  }

  /** With tasks that are all as the line says, and what each waits for the network. */
  double predictMs(PersistedRun size, double networkMs) {
    double taskMs = task.at(blockBytes(size)) + networkMs;
    return model.timeMs(Collections.nCopies(size.blocks(), taskMs));
  }

  /** With the times that the tasks of a run had, which shows the equation without the line. */
  double fromOwnTasksMs(StageRun run) {
    return model.timeMs(
        run.tasks().stream()
            .sorted((one, other) -> Long.compare(one.startMs(), other.startMs()))
            .map(task -> (double) task.timeMs())
            .toList());
  }
}
