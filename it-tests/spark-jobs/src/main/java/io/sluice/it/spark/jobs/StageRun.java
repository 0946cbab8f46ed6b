package io.sluice.it.spark.jobs;

import java.util.List;

/**
 * One stage as the driver saw it.
 *
 * @param wallMs from its submission to its completion
 * @param tasks by their partitions
 */
public record StageRun(long wallMs, List<RanTask> tasks) {}
