package io.sluice.it.spark.jobs;

/**
 * One task as the driver saw it.
 *
 * @param partition which of its stage
 * @param executor that ran it
 * @param startMs its launch, from the submission of its stage
 * @param timeMs from its launch to its end
 */
public record RanTask(int partition, String executor, long startMs, long timeMs) {}
