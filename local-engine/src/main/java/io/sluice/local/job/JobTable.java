package io.sluice.local.job;

import io.sluice.local.task.TaskState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobACLsManager;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobPriority;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;

/**
 * All jobs of a process. The last ended jobs are kept with their tasks, older ones with status and
 * counters only, and the oldest are forgotten.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class JobTable {
  private final int mostWithTasks;
  private final int mostEnded;
  private final Map<JobID, LocalJob> running = new HashMap<>();
  private final Map<JobID, EndedJob> ended = new LinkedHashMap<>();
  private final Deque<JobID> withTasks = new ArrayDeque<>();

  /**
   * Begins empty.
   *
   * @param mostWithTasks most ended jobs that are kept with their tasks
   * @param mostEnded most ended jobs that are kept
   */
  public JobTable(int mostWithTasks, int mostEnded) {
    this.mostWithTasks = mostWithTasks;
    this.mostEnded = mostEnded;
  }

  /** Adds a job before its start. */
  public synchronized void add(LocalJob job) {
    JobID id = key(job.status().getJobID());
    running.put(id, job);
    job.onEnd(end -> ended(id, end));
  }

  /** Removes a job that could not start. */
  public synchronized void forget(JobID id) {
    running.remove(key(id));
  }

  private synchronized void ended(JobID id, EndedJob job) {
    running.remove(id);
    ended.put(id, job);
    withTasks.add(id);
    if (withTasks.size() > mostWithTasks) {
      ended.computeIfPresent(withTasks.remove(), (old, its) -> its.withoutTasks());
    }
    if (ended.size() > mostEnded) {
      ended.remove(ended.keySet().iterator().next());
    }
  }

  /** Ids of the old and the new API are not equal. */
  private static JobID key(JobID id) {
    return org.apache.hadoop.mapred.JobID.downgrade(id);
  }

  /** The job, or null if it is not known. */
  public synchronized JobView find(JobID id) {
    LocalJob job = running(id);
    return job == null ? ended.get(key(id)) : job;
  }

  /** The job if it is running, else null. */
  public synchronized LocalJob running(JobID id) {
    return running.get(key(id));
  }

  /** All jobs, the oldest first. */
  public synchronized Collection<JobView> all() {
    List<JobView> all = new ArrayList<>(ended.values());
    all.addAll(running.values());
    return all;
  }

  /**
   * A client's view of a job, while it runs and afterwards.
   *
   * <p>Thread contract: safe from any thread.
   */
  public interface JobView {
    /** The status. */
    JobStatus status();

    /** The counters of all tasks, also while they run. */
    Counters counters();

    /** The reports of all tasks of a type. */
    TaskReport[] reports(TaskType type);

    /** Ended attempts, beginning with number {@code from}. */
    TaskCompletionEvent[] events(int from, int most);

    /** The diagnostics of an attempt. */
    String[] diagnostics(TaskAttemptID attempt);
  }

  /**
   * The record of an ended job, without its settings, class loader and threads.
   *
   * @param tasks all tasks, or none if they were dropped
   */
  record EndedJob(
      JobStatus status,
      Counters counters,
      Map<TaskID, TaskState> tasks,
      List<TaskCompletionEvent> endedAttempts)
      implements JobView {

    /** The same without tasks. */
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

  /** A snapshot of a job's status. Hadoop lets only subclasses set some values. */
  static final class LocalJobStatus extends JobStatus {
    /**
     * Progress values are from 0 to 1.
     *
     * @param failureInfo the reason of a failure, or empty
     */
    LocalJobStatus(
        JobID id,
        float setup,
        float maps,
        float reduces,
        float cleanup,
        State state,
        JobPriority priority,
        JobConf conf,
        String jobFile,
        long startMs,
        long finishMs,
        String failureInfo) {
      super(
          id,
          setup,
          maps,
          reduces,
          cleanup,
          state,
          priority,
          conf.getUser(),
          conf.getJobName(),
          conf.getQueueName(),
          jobFile,
          "",
          false);
      setJobACLs(new JobACLsManager(conf).constructJobACLs(conf));
      setStartTime(startMs);
      setFinishTime(finishMs);
      setFailureInfo(failureInfo);
    }
  }
}
