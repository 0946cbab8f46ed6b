package io.sluice.it.spark.jobs;

import java.util.SortedMap;

/**
 * What {@link LossJob} prints, as one line of JSON.
 *
 * @param count rows of the result
 * @param digest of the result, whatever the order of its rows
 * @param mapTasks how many map tasks ended, in all attempts of their stage
 * @param failedTasks how many tasks failed
 * @param remoteBytesRead of map output, from other executors
 * @param localBytesRead of map output, from the executor's own
 * @param executorStates what the executors' shuffle managers said of themselves in the end
 */
public record LossReport(
    long count,
    String digest,
    long mapTasks,
    long failedTasks,
    long remoteBytesRead,
    long localBytesRead,
    SortedMap<String, String> executorStates) {}
