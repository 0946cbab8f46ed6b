package io.sluice.it.spark.jobs;

/**
 * Sums of Spark's own task metrics over all tasks of a job, those that failed included.
 *
 * @param tasks how many ended
 * @param failedTasks how many of them failed
 * @param executorCpuNs processor time of the tasks' threads
 * @param writeTimeNs time spent writing map output
 * @param bytesWritten of map output
 * @param recordsWritten of map output
 * @param recordsRead of map output
 * @param remoteBytesRead of map output, from other executors
 * @param localBytesRead of map output, from the executor's own
 * @param fetchWaitMs time spent waiting for map output
 */
public record ShuffleCosts(
    long tasks,
    long failedTasks,
    long executorCpuNs,
    long writeTimeNs,
    long bytesWritten,
    long recordsWritten,
    long recordsRead,
    long remoteBytesRead,
    long localBytesRead,
    long fetchWaitMs) {
  static final ShuffleCosts NONE = new ShuffleCosts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  ShuffleCosts plus(ShuffleCosts other) {
    return new ShuffleCosts(
        tasks + other.tasks,
        failedTasks + other.failedTasks,
        executorCpuNs + other.executorCpuNs,
        writeTimeNs + other.writeTimeNs,
        bytesWritten + other.bytesWritten,
        recordsWritten + other.recordsWritten,
        recordsRead + other.recordsRead,
        remoteBytesRead + other.remoteBytesRead,
        localBytesRead + other.localBytesRead,
        fetchWaitMs + other.fetchWaitMs);
  }

  ShuffleCosts minus(ShuffleCosts earlier) {
    return new ShuffleCosts(
        tasks - earlier.tasks,
        failedTasks - earlier.failedTasks,
        executorCpuNs - earlier.executorCpuNs,
        writeTimeNs - earlier.writeTimeNs,
        bytesWritten - earlier.bytesWritten,
        recordsWritten - earlier.recordsWritten,
        recordsRead - earlier.recordsRead,
        remoteBytesRead - earlier.remoteBytesRead,
        localBytesRead - earlier.localBytesRead,
        fetchWaitMs - earlier.fetchWaitMs);
  }
}
