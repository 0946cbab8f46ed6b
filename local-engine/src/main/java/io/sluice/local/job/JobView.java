package io.sluice.local.job;

import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;

/**
 * What a client may ask of a job, while it runs and afterwards.
 *
 * <p>Thread contract: safe from any thread.
 */
public interface JobView {
  /** How it stands. */
  JobStatus status();

  /** Of all tasks, also while they run. */
  Counters counters();

  /** Of all tasks of a kind. */
  TaskReport[] reports(TaskType type);

  /** What has ended, from one on. */
  TaskCompletionEvent[] events(int from, int most);

  /** Of an attempt. */
  String[] diagnostics(TaskAttemptID attempt);
}
