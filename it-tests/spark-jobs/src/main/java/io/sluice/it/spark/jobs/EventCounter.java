package io.sluice.it.spark.jobs;

import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskStart;

/**
 * Counts a context's events. Spark's listener thread calls it; the counts are whole, and may be
 * asked for by any thread, once the context has been stopped.
 */
final class EventCounter extends SparkListener {
  private volatile ContextEvents counts = new ContextEvents(0, 0);

  @Override
  public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
    counts = new ContextEvents(counts.executorsRemoved() + 1, counts.speculativeTasks());
  }

  @Override
  public void onTaskStart(SparkListenerTaskStart start) {
    if (start.taskInfo().speculative()) {
      counts = new ContextEvents(counts.executorsRemoved(), counts.speculativeTasks() + 1);
    }
  }

  ContextEvents counts() {
    return counts;
  }
}
