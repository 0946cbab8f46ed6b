package io.sluice.it.spark.jobs;

import java.util.concurrent.TimeoutException;
import java.util.function.LongBinaryOperator;
import org.apache.spark.SparkContext;
import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.executor.ShuffleWriteMetrics;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

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
    return with(other, Long::sum);
  }

  ShuffleCosts minus(ShuffleCosts earlier) {
    return with(earlier, (now, before) -> now - before);
  }

  private ShuffleCosts with(ShuffleCosts other, LongBinaryOperator each) {
    return new ShuffleCosts(
        each.applyAsLong(tasks, other.tasks),
        each.applyAsLong(failedTasks, other.failedTasks),
        each.applyAsLong(executorCpuNs, other.executorCpuNs),
        each.applyAsLong(writeTimeNs, other.writeTimeNs),
        each.applyAsLong(bytesWritten, other.bytesWritten),
        each.applyAsLong(recordsWritten, other.recordsWritten),
        each.applyAsLong(recordsRead, other.recordsRead),
        each.applyAsLong(remoteBytesRead, other.remoteBytesRead),
        each.applyAsLong(localBytesRead, other.localBytesRead),
        each.applyAsLong(fetchWaitMs, other.fetchWaitMs));
  }

  /**
   * Adds up the metrics of tasks as they end. Spark's listener thread calls it; any thread may ask.
   */
  static final class TaskCosts extends SparkListener {
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
}
