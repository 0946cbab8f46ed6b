package io.sluice.local.job;

import io.sluice.local.history.JobHistoryWriter;
import io.sluice.local.task.AttemptRecord;
import io.sluice.local.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitMetaInfo;

/**
 * How the attempts of a job have ended, for clients, for the job's history and for the log.
 *
 * <p>Thread contract: safe from any thread.
 */
final class AttemptLog implements TaskPhase.Listener {
  private final JobHistoryWriter history;
  private final FailureLog failures;
  private final List<TaskCompletionEvent> events = new ArrayList<>(); // guarded by this
  private volatile TaskSplitMetaInfo[] splits = {};

  AttemptLog(JobHistoryWriter history, FailureLog failures) {
    this.history = history;
    this.failures = failures;
  }

  /** The maps are known now. */
  void begin(TaskSplitMetaInfo[] of) {
    splits = of;
  }

  private static boolean isMap(TaskAttemptID attempt) {
    return attempt.getTaskID().getTaskType() == TaskType.MAP;
  }

  @Override
  public void began(TaskState task, TaskAttemptID attempt) {
    int number = attempt.getTaskID().getId();
    history.attemptStarted(
        task.record(attempt), isMap(attempt) ? splits[number].getLocations() : null);
  }

  @Override
  public void succeeded(TaskState task, TaskAttemptID attempt) {
    history.attemptSucceeded(task.record(attempt), task.startMs(), task.finishMs());
    add(attempt, TaskCompletionEvent.Status.SUCCEEDED);
  }

  @Override
  public void failed(
      TaskState task, AttemptRecord before, String error, Throwable cause, boolean isLast) {
    boolean isKilled = cause == null;
    if (!isKilled) {
      failures.log(before.id() + " failed: " + error, cause);
    }
    long nowMs = isLast ? task.finishMs() : System.currentTimeMillis();
    JobStatus.State how = isKilled ? JobStatus.State.KILLED : JobStatus.State.FAILED;
    history.attemptFailed(before, how, error, nowMs);
    add(
        before.id(),
        isKilled ? TaskCompletionEvent.Status.KILLED : TaskCompletionEvent.Status.FAILED);
    if (isLast) {
      history.taskFailed(before, how, error, task.startMs(), nowMs);
    }
  }

  private synchronized void add(TaskAttemptID attempt, TaskCompletionEvent.Status status) {
    events.add(
        new TaskCompletionEvent(
            events.size(), attempt, attempt.getTaskID().getId(), isMap(attempt), status, ""));
  }

  /** What has ended, in that order. */
  synchronized List<TaskCompletionEvent> events() {
    return List.copyOf(events);
  }

  /** Some of them; clients ask often. */
  synchronized TaskCompletionEvent[] events(int from, int most) {
    return EndedJob.part(events, from, most);
  }
}
