package io.sluice.local.exchange;

import java.io.IOException;
import java.lang.reflect.Method;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitIndex;
import org.apache.hadoop.util.Progress;

/**
 * Stands for a task where the records of many are sorted and combined together: Hadoop's combiners
 * and counters belong to one. It never runs.
 *
 * <p>Thread contract: as its counters, safe from any thread.
 */
final class StreamTask {
  private final MapTask task;
  private final Task.TaskReporter reporter;

  StreamTask(JobConf job, TaskAttemptID id) {
    task = new MapTask("", id, id.getTaskID().getId(), new TaskSplitIndex(), 1);
    task.setConf(job);
    reporter = task.new TaskReporter(new Progress(), null); // it is never told to report
  }

  TaskAttemptID id() {
    return task.getTaskID();
  }

  Task.TaskReporter reporter() {
    return reporter;
  }

  /** All that was counted. Hadoop hides them from all but its own package. */
  Counters counters() throws IOException {
    try {
      Method get = Task.class.getDeclaredMethod("getCounters");
      get.setAccessible(true);
      return (Counters) get.invoke(task);
    } catch (ReflectiveOperationException e) {
      throw new IOException("this release of Hadoop does not give the counters of a task", e);
    }
  }
}
