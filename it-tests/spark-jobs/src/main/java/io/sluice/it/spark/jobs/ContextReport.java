package io.sluice.it.spark.jobs;

import java.util.List;
import java.util.SortedMap;

/**
 * What became of a {@link ContextPlan}.
 *
 * @param name the plan's
 * @param results of its shuffles, in their order
 * @param driverShuffleManager the class in use on the driver
 * @param driverState what the driver's shuffle manager said of itself in the end
 * @param executorShuffleManagers the classes that the tasks of the results found, by executor
 * @param executorStates what the executors' shuffle managers said of themselves in the end
 * @param costs of all tasks
 * @param events that tasks do not tell of
 */
public record ContextReport(
    String name,
    List<ShuffleResult> results,
    String driverShuffleManager,
    String driverState,
    SortedMap<String, String> executorShuffleManagers,
    SortedMap<String, String> executorStates,
    ShuffleCosts costs,
    ContextEvents events) {}
