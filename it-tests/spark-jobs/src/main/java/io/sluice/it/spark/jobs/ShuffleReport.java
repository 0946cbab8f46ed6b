package io.sluice.it.spark.jobs;

import java.util.SortedMap;
import java.util.SortedSet;

/**
 * What {@link ShuffleJob} prints, as one line of JSON.
 *
 * @param workload which shuffle
 * @param count rows of the result
 * @param digest of the result, whatever the order of its rows
 * @param sorted whether the keys of the result ascend through all its partitions; means something
 *     after a sort only
 * @param adaptiveReads how the final plan of a query reads its shuffles, such as {@code coalesced
 *     and skewed}
 * @param driverShuffleManager the class in use on the driver
 * @param executorShuffleManagers the classes that the tasks of the result found, by executor
 * @param executorStates what the executors' shuffle managers said of themselves in the end
 * @param costs of all tasks
 * @param processCpuNs processor time of the executors' processes, besides tasks that of the
 *     collector, the compiler, and whoever serves and fetches
 * @param serverCpuNs processor time of the servers that executors write to, if there are any
 * @param threadCpuNs what of {@code processCpuNs} threads took that are still there, by their names
 * @param wallMs from the first stage to the last, without the start of the engine
 */
public record ShuffleReport(
    Workload workload,
    long count,
    String digest,
    boolean sorted,
    SortedSet<String> adaptiveReads,
    String driverShuffleManager,
    SortedMap<String, String> executorShuffleManagers,
    SortedMap<String, String> executorStates,
    ShuffleCosts costs,
    long processCpuNs,
    long serverCpuNs,
    SortedMap<String, Long> threadCpuNs,
    long wallMs) {}
