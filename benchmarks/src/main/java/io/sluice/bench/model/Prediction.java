package io.sluice.bench.model;

import io.sluice.bench.Spread;
import io.sluice.it.spark.jobs.PersistBenchmark;

/**
 * What the model says of a size that it was not fitted to, beside what was measured.
 *
 * @param benchmark which
 * @param storage how its blocks are kept
 * @param textBytes the size
 * @param predictedMs all stages, by both equations with what was fitted
 * @param fromOwnTasksMs all stages, by the first equation with the times that the tasks had
 * @param measuredMs all stages
 */
record Prediction(
    PersistBenchmark benchmark,
    Storage storage,
    long textBytes,
    double predictedMs,
    double fromOwnTasksMs,
    Spread measuredMs) {

  /** Share of what was measured; negative if the model says less. */
  double error() {
    return predictedMs / measuredMs.median() - 1;
  }

  /** That of the equation alone. */
  double errorOfEquation() {
    return fromOwnTasksMs / measuredMs.median() - 1;
  }
}
