package io.sluice.it.spark.jobs;

import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkContext;
import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.executor.ShuffleWriteMetrics;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/**
 * Adds up the metrics of tasks as they end. Spark's listener thread calls it; any thread may ask.
 */
final class TaskCosts extends SparkListener {
  private volatile ShuffleCosts total = ShuffleCosts.NONE;

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    total = total.plus(of(end));
  }

  /** The sum over all tasks heard of; all there were, when the context has been stopped. */
  ShuffleCosts total() {
    return total;
  }

  /** The sum over all tasks that have ended, once the listener has heard of every one. */
  ShuffleCosts total(SparkContext context) {
    try {
      context.listenerBus().waitUntilEmpty();
    } catch (TimeoutException e) {
      throw new IllegalStateException("the listeners have not heard of all tasks", e);
    }
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
