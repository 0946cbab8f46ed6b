package io.sluice.local.task;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.TIPStatus;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.TaskReport;

/**
 * The state of one task and its attempts, as clients see it.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class TaskState {
  private static final class Attempt {
    private long startMs;
    private long shuffledMs;
    private long sortedMs;
    private float progress;
    private Counters counters = new Counters();
    private final List<String> diagnostics = new ArrayList<>();
    private AttemptThread thread;
    private boolean heard; // since the last poll
    private int silentPolls;
    private boolean killed;
    private boolean ended;
  }

  private final TaskID id;
  private final ProgressSum sum;
  private final Map<TaskAttemptID, Attempt> attempts = new LinkedHashMap<>();
  private TIPStatus status = TIPStatus.PENDING;
  private TaskAttemptID current; // null before the first
  private TaskAttemptID committing; // null if none may commit yet
  private String state = "";
  private int failures;
  private long startMs;
  private long finishMs;

  /**
   * A task without attempts.
   *
   * @param sum of all tasks of its type
   */
  public TaskState(TaskID id, ProgressSum sum) {
    this.id = id;
    this.sum = sum;
  }

  /** The task. */
  public TaskID id() {
    return id;
  }

  /** Begins an attempt, which becomes the current one. */
  public synchronized AttemptThread begin(ThreadFactory threads, AttemptThread.Body body) {
    float before = progress(); // of a successful attempt that runs again
    current = new TaskAttemptID(id, attempts.size());
    committing = null;
    Attempt of = new Attempt();
    attempts.put(current, of);
    sum.change(before, 0);
    of.thread = new AttemptThread(current, threads, body);
    of.startMs = System.currentTimeMillis();
    status = TIPStatus.RUNNING;
    startMs = startMs == 0 ? of.startMs : startMs;
    return of.thread;
  }

  /** Polls an attempt; returns the number of polls in a row without a report of it. */
  public synchronized int silentPolls(TaskAttemptID attempt) {
    Attempt of = attempts.get(attempt);
    of.silentPolls = of.heard ? 0 : of.silentPolls + 1;
    of.heard = false;
    return of.silentPolls;
  }

  /**
   * Kills or fails an attempt, also while it commits.
   *
   * @param shouldFail whether it counts as a failure of the task
   * @return false if the attempt is not running
   */
  public synchronized boolean kill(TaskAttemptID attempt, boolean shouldFail) {
    Attempt of = attempts.get(attempt);
    if (of == null || of.ended || of.thread == null) {
      return false;
    }
    of.killed |= !shouldFail;
    of.thread.end(shouldFail ? "the user failed it" : "the user killed it");
    return true;
  }

  /** Tells an attempt to end because of a failure of its own. */
  synchronized void kill(TaskAttemptID attempt, String reason) {
    Attempt of = attempts.get(attempt);
    if (of != null && !of.ended && of.thread != null) {
      of.thread.end(reason);
    }
  }

  /** Whether the attempt may commit. No other attempt may commit then. */
  public synchronized boolean isCommitting(TaskAttemptID attempt) {
    return attempt.equals(committing);
  }

  /** Whether the user killed the attempt. */
  public synchronized boolean isKilled(TaskAttemptID attempt) {
    return attempts.get(attempt).killed;
  }

  /** The number of failed attempts. */
  public synchronized int failures() {
    return failures;
  }

  /** An attempt reports its status; false if it has ended already. */
  synchronized boolean update(
      TaskAttemptID attempt, float progress, String text, Counters counters) {
    Attempt of = attempts.get(attempt);
    if (of == null || of.ended) {
      return false;
    }
    setProgress(attempt, of, progress);
    of.counters = counters;
    of.heard = true;
    state = text;
    return true;
  }

  /** An attempt is alive; false if it has ended. */
  synchronized boolean heard(TaskAttemptID attempt) {
    Attempt of = attempts.get(attempt);
    if (of == null || of.ended) {
      return false;
    }
    of.heard = true;
    return true;
  }

  private void setProgress(TaskAttemptID attempt, Attempt of, float progress) {
    if (attempt.equals(current)) {
      sum.change(of.progress, progress);
    }
    of.progress = progress;
  }

  /** An attempt reports when it had all input, and when that was sorted; 0 for not yet. */
  synchronized void reached(TaskAttemptID attempt, long shuffledMs, long sortedMs) {
    Attempt of = attempts.get(attempt);
    if (of != null) {
      of.shuffledMs = shuffledMs;
      of.sortedMs = sortedMs;
    }
  }

  /** The record of an attempt now. */
  public synchronized AttemptRecord record(TaskAttemptID attempt) {
    Attempt of = attempts.get(attempt);
    return new AttemptRecord(attempt, of.startMs, of.shuffledMs, of.sortedMs, state, of.counters);
  }

  /** The start of the first attempt, or 0. */
  public synchronized long startMs() {
    return startMs;
  }

  /** The end of the task, or 0. */
  public synchronized long finishMs() {
    return finishMs;
  }

  synchronized boolean isAtWork(TaskAttemptID attempt) {
    Attempt of = attempts.get(attempt);
    return of != null && !of.ended;
  }

  /**
   * Asks for the permission to commit. Only one attempt has it, until it fails; an attempt that was
   * told to end does not get it.
   */
  synchronized boolean mayCommit(TaskAttemptID attempt) {
    boolean goesOn = isAtWork(attempt) && attempts.get(attempt).thread.endReason() == null;
    if (committing == null && goesOn) {
      committing = attempt;
    }
    return attempt.equals(committing);
  }

  synchronized void diagnose(TaskAttemptID attempt, String text) {
    Attempt of = attempts.get(attempt);
    if (of != null) {
      of.diagnostics.add(text);
    }
  }

  /** An attempt and the task have succeeded. */
  public synchronized void succeeded(TaskAttemptID attempt) {
    Attempt of = attempts.get(attempt);
    of.ended = true;
    of.thread = null;
    setProgress(attempt, of, 1);
    status = TIPStatus.COMPLETE;
    finishMs = System.currentTimeMillis();
  }

  /**
   * An attempt has failed or was killed; the task goes on.
   *
   * @param counts whether it counts as a failure
   */
  public synchronized void failed(TaskAttemptID attempt, String why, boolean counts) {
    Attempt of = attempts.get(attempt);
    of.ended = true;
    of.thread = null;
    setProgress(attempt, of, 0);
    of.counters = new Counters();
    of.diagnostics.add(why);
    committing = attempt.equals(committing) ? null : committing;
    failures += counts ? 1 : 0;
    status = TIPStatus.PENDING;
  }

  /** Whether the task has failed, for a reason other than the job's end. */
  public synchronized boolean hasFailed() {
    return status == TIPStatus.FAILED;
  }

  /** The task has failed or was killed with its last attempt. */
  public synchronized void ended(TIPStatus how) {
    status = how;
    finishMs = System.currentTimeMillis();
  }

  /** The progress of the current attempt, from 0 to 1. */
  public synchronized float progress() {
    return current == null ? 0 : attempts.get(current).progress;
  }

  /** The counters of the current attempt. */
  public synchronized Counters counters() {
    return current == null ? new Counters() : attempts.get(current).counters;
  }

  /** The diagnostics of an attempt. */
  public synchronized String[] diagnostics(TaskAttemptID attempt) {
    Attempt of = attempts.get(attempt);
    return of == null ? new String[0] : of.diagnostics.toArray(String[]::new);
  }

  /** The report for clients. */
  public synchronized TaskReport report() {
    List<String> diagnostics = new ArrayList<>();
    attempts.values().forEach(attempt -> diagnostics.addAll(attempt.diagnostics));
    return new Report(
        id,
        progress(),
        state,
        diagnostics.toArray(String[]::new),
        status,
        startMs,
        finishMs,
        new org.apache.hadoop.mapreduce.Counters(counters()),
        status == TIPStatus.COMPLETE ? current : null,
        status == TIPStatus.RUNNING ? List.of(current) : List.of());
  }

  /** A report with values that Hadoop lets only subclasses set. */
  private static final class Report extends TaskReport {
    Report(
        TaskID id,
        float progress,
        String state,
        String[] diagnostics,
        TIPStatus status,
        long startMs,
        long finishMs,
        org.apache.hadoop.mapreduce.Counters counters,
        TaskAttemptID successful,
        List<? extends org.apache.hadoop.mapreduce.TaskAttemptID> running) {
      super(id, progress, state, diagnostics, status, startMs, finishMs, counters);
      if (successful != null) {
        setSuccessfulAttemptId(successful);
      }
      setRunningTaskAttemptIds(new ArrayList<>(running));
    }
  }

  /**
   * The record of one attempt. Times are of the wall clock; 0 means not reached.
   *
   * @param startMs start of the attempt
   * @param shuffledMs time at which a map had read its input, or a reduce had all map outputs
   * @param sortedMs time at which a reduce had sorted them
   * @param state its last status text
   * @param counters of the attempt
   */
  public record AttemptRecord(
      TaskAttemptID id,
      long startMs,
      long shuffledMs,
      long sortedMs,
      String state,
      Counters counters) {}

  /**
   * The progress of all maps or all reduces of a job. The sum is kept up to date, because clients
   * ask often and a job may have very many tasks.
   *
   * <p>Thread contract: safe from any thread.
   */
  public static final class ProgressSum {
    /** Parts of a whole task. Sums of whole numbers have no rounding errors. */
    private static final long PARTS = 1 << 20;

    private final LongAdder parts = new LongAdder();

    /** The progress of a task has changed; values from 0 to 1. */
    void change(float before, float now) {
      parts.add(parts(now) - parts(before));
    }

    private static long parts(float progress) {
      return (long) (progress * PARTS);
    }

    /** The mean progress of {@code tasks} tasks. */
    public float mean(int tasks) {
      return tasks == 0 ? 0 : (float) ((double) parts.sum() / tasks / PARTS);
    }
  }
}
