package io.sluice.local.job;

import io.sluice.local.task.TaskState;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;

/**
 * What is kept of a job that has ended, without its settings, its class loader and its threads.
 *
 * @param tasks all, or none if they are forgotten
 */
record EndedJob(
    JobStatus status,
    Counters counters,
    Map<TaskID, TaskState> tasks,
    List<TaskCompletionEvent> endedAttempts)
    implements JobView {

  /** With no word of its tasks. */
  EndedJob withoutTasks() {
    return new EndedJob(status, counters, Map.of(), List.of());
  }

  @Override
  public TaskReport[] reports(TaskType type) {
    return tasks.values().stream()
        .filter(task -> task.id().getTaskType() == type)
        .map(TaskState::report)
        .toArray(TaskReport[]::new);
  }

  @Override
  public TaskCompletionEvent[] events(int from, int most) {
    return part(endedAttempts, from, most);
  }

  static TaskCompletionEvent[] part(List<TaskCompletionEvent> all, int from, int most) {
    int first = Math.min(Math.max(0, from), all.size());
    int end = (int) Math.min(all.size(), (long) first + Math.max(0, most));
    return all.subList(first, end).toArray(TaskCompletionEvent[]::new);
  }

  @Override
  public String[] diagnostics(TaskAttemptID attempt) {
    TaskState task = tasks.get(attempt.getTaskID());
    return task == null ? new String[0] : task.diagnostics(attempt);
  }
}
