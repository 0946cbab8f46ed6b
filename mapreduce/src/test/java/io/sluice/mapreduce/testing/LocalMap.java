package io.sluice.mapreduce.testing;

import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitIndex;
import org.apache.hadoop.util.Progress;

/** A map task that nobody runs: Hadoop makes no reporter without one. */
public final class LocalMap extends MapTask {
  private final TaskReporter reporter = new TaskReporter(new Progress(), null);

  public LocalMap(TaskAttemptID id) {
    super("job.xml", id, id.getTaskID().getId(), new TaskSplitIndex(), 1);
  }

  public TaskReporter reporter() {
    return reporter;
  }
}
