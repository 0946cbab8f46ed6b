package io.sluice.bench.model;

import java.util.List;
import java.util.PriorityQueue;

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
