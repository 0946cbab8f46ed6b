package io.sluice.it.spark.jobs;

import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.executor.ShuffleWriteMetrics;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/**
 * Adds up the metrics of tasks as they end. Spark's listener thread calls it; the sum is whole, and
 * may be asked for by any thread, once the context has been stopped.
 */
final class TaskCosts extends SparkListener {
  private volatile ShuffleCosts total = ShuffleCosts.NONE;

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    total = total.plus(of(end));
  }

  ShuffleCosts total() {
    return total;
  }

  private static ShuffleCosts of(SparkListenerTaskEnd end) {
    long failedTasks = end.taskInfo().successful() ? 0 : 1;
    TaskMetrics metrics = end.taskMetrics();
    if (metrics == null) { // of a task that was lost with its executor
      return new ShuffleCosts(1, failedTasks, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    ShuffleWriteMetrics write = metrics.shuffleWriteMetrics();
    ShuffleReadMetrics read = metrics.shuffleReadMetrics();
    return new ShuffleCosts(
        1,
        failedTasks,
        metrics.executorCpuTime(),
        write.writeTime(),
        write.bytesWritten(),
        write.recordsWritten(),
        read.recordsRead(),
        read.remoteBytesRead(),
        read.localBytesRead(),
        read.fetchWaitTime());
  }
}
