package io.sluice.hadoop.reduce;

import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskCompletionEvent.Status;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.TaskType;

/** Completion events as the ApplicationMaster sends them. */
final class Events {
  static final JobID JOB = new JobID("1700000000000", 7);

  private Events() {}

  /** Attempt {@code attempt} of map {@code map}. */
  static TaskAttemptID map(int map, int attempt) {
    return new TaskAttemptID(new TaskID(JOB, TaskType.MAP, map), attempt);
  }

  static TaskAttemptID reduce(int reduce) {
    return new TaskAttemptID(new TaskID(JOB, TaskType.REDUCE, reduce), 0);
  }

  static TaskCompletionEvent succeeded(TaskAttemptID map, String host) {
    return succeeded(map, host, 0);
  }

  static TaskCompletionEvent succeeded(TaskAttemptID map, String host, int runtimeMs) {
    return event(map, Status.SUCCEEDED, "http://" + host, runtimeMs);
  }

  static TaskCompletionEvent ended(TaskAttemptID map, Status status) {
    return event(map, status, "", 0);
  }

  private static TaskCompletionEvent event(
      TaskAttemptID map, Status status, String url, int runtimeMs) {
    return new TaskCompletionEvent(0, map, map.getTaskID().getId(), true, status, url) {
      {
        setTaskRunTime(runtimeMs);
      }
    };
  }
}
