package io.sluice.it.spark.jobs;

/**
 * What happened in a context beside its tasks' work.
 *
 * @param executorsRemoved executors that were lost or released
 * @param speculativeTasks attempts that were started because another one is slow
 */
public record ContextEvents(int executorsRemoved, int speculativeTasks) {}
