package io.sluice.local.job;

import io.sluice.local.history.JobHistoryWriter;
import io.sluice.local.job.JobTable.EndedJob;
import io.sluice.local.task.TaskState;
import io.sluice.local.task.TaskState.AttemptRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitMetaInfo;
import org.apache.hadoop.util.StringUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the attempts of a job, for clients, for the job's history and for the log.
 *
 * <p>Thread contract: safe from any thread.
 */
final class AttemptLog {
  private final JobHistoryWriter history;
  private final FailureLog failures;
  private final List<TaskCompletionEvent> events = new ArrayList<>(); // guarded by this
  private volatile TaskSplitMetaInfo[] splits = {};

  AttemptLog(JobHistoryWriter history, FailureLog failures) {
    this.history = history;
    this.failures = failures;
  }

  /** The splits are known. */
  void begin(TaskSplitMetaInfo[] of) {
    splits = of;
  }

  private static boolean isMap(TaskAttemptID attempt) {
    return attempt.getTaskID().getTaskType() == TaskType.MAP;
  }

  void began(TaskState task, TaskAttemptID attempt) {
    int number = attempt.getTaskID().getId();
    history.attemptStarted(
        task.record(attempt), isMap(attempt) ? splits[number].getLocations() : null);
  }

  void succeeded(TaskState task, TaskAttemptID attempt) {
    history.attemptSucceeded(task.record(attempt), task.startMs(), task.finishMs());
    add(attempt, TaskCompletionEvent.Status.SUCCEEDED);
  }

  /**
   * An attempt has failed or was killed.
   *
   * @param before its last report
   * @param error with its stack trace, for users
   * @param cause of a failure; null if it was killed
   * @param isLast whether the task has ended with it
   */
  void failed(TaskState task, AttemptRecord before, String error, Throwable cause, boolean isLast) {
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

  /** Ended attempts, in order. */
  synchronized List<TaskCompletionEvent> events() {
    return List.copyOf(events);
  }

  /** A part of the ended attempts, because clients ask often. */
  synchronized TaskCompletionEvent[] events(int from, int most) {
    return EndedJob.part(events, from, most);
  }

  /**
   * Logs the failures of one job, each in one line. Of failures with the same origin only the first
   * has a stack trace. Diagnostics of attempts have all traces.
   *
   * <p>Thread contract: safe from any thread.
   */
  static final class FailureLog {
    private static final Logger LOG = LoggerFactory.getLogger(FailureLog.class);

    /** Limits the traces of a job whose failures are all different. */
    private static final int MOST_TRACES = 10;

    private static final Pattern TASK =
        Pattern.compile("\tat org\\.apache\\.hadoop\\.mapred\\.(Map|Reduce)Task\\.run\\(.*");

    private final Set<List<?>> shown = new HashSet<>(); // guarded by this

    /** Logs the first line of a text, and the trace if its origin is new. */
    void log(String text, Throwable why) {
      String line = text.lines().findFirst().orElse("");
      if (isNew(why)) {
        LOG.warn(line, why);
      } else {
        LOG.warn(line);
      }
    }

    /** The stack trace of a failure, without the engine's own frames below Hadoop's task. */
    static String trace(Throwable why) {
      StringBuilder trace = new StringBuilder();
      boolean isBelowTask = false;
      for (String line : StringUtils.stringifyException(why).split("\n")) {
        isBelowTask &= line.startsWith("\tat ");
        if (!isBelowTask) {
          trace.append(line).append('\n');
        }
        isBelowTask |= TASK.matcher(line).matches();
      }
      return trace.toString();
    }

    private synchronized boolean isNew(Throwable why) {
      Throwable root = why;
      while (root.getCause() != null && root.getCause() != root) {
        root = root.getCause();
      }
      return shown.size() < MOST_TRACES
          && shown.add(List.of(root.getClass(), Arrays.asList(root.getStackTrace())));
    }
  }
}
