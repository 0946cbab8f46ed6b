package io.sluice.local.task;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.TIPStatus;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.TaskReport;

/**
 * One task of a job and its attempts, as clients see them.
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
    private boolean heard; // since the last look
    private int silentLooks;
    private boolean killed;
    private boolean ended;
  }

  private final TaskID id;
  private final ProgressSum sum;
  private final Map<TaskAttemptID, Attempt> attempts = new LinkedHashMap<>();
  private TIPStatus status = TIPStatus.PENDING;
  private TaskAttemptID current; // null: none yet
  private TaskAttemptID committing; // null: none may commit yet
  private String state = "";
  private int failures;
  private long startMs;
  private long finishMs;

  /**
   * Of which nothing has begun.
   *
   * @param sum of all tasks among which it is
   */
  public TaskState(TaskID id, ProgressSum sum) {
    this.id = id;
    this.sum = sum;
  }

  /** The task. */
  public TaskID id() {
    return id;
  }

  /** An attempt begins, as the one that counts. */
  public synchronized AttemptThread begin(ThreadFactory threads, AttemptThread.Body body) {
    float before = progress(); // of an attempt that has ended well and is to be run again
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

  /** Looks at an attempt: how many looks in a row have found no news of its progress. */
  public synchronized int silentLooks(TaskAttemptID attempt) {
    Attempt of = attempts.get(attempt);
    of.silentLooks = of.heard ? 0 : of.silentLooks + 1;
    of.heard = false;
    return of.silentLooks;
  }

  /**
   * Tells an attempt to end, also while it commits.
   *
   * @param shouldFail whether that counts as a failure of the task
   * @return false if it does not run
   */
  public synchronized boolean kill(TaskAttemptID attempt, boolean shouldFail) {
    Attempt of = attempts.get(attempt);
    if (of == null || of.ended || of.thread == null) {
      return false;
    }
    of.killed |= !shouldFail;
    of.thread.end(
        shouldFail ? "it is failed at the user's wish" : "it is killed at the user's wish");
    return true;
  }

  /** Tells an attempt to end, by its own fault. */
  synchronized void kill(TaskAttemptID attempt, String reason) {
    Attempt of = attempts.get(attempt);
    if (of != null && !of.ended && of.thread != null) {
      of.thread.end(reason);
    }
  }

  /** Whether it may commit; another must not commit beside it. */
  public synchronized boolean isCommitting(TaskAttemptID attempt) {
    return attempt.equals(committing);
  }

  /** Whether it ends because its user wants that, and not because of what it does. */
  public synchronized boolean isKilled(TaskAttemptID attempt) {
    return attempts.get(attempt).killed;
  }

  /** How many attempts have failed. */
  public synchronized int failures() {
    return failures;
  }

  /** An attempt tells how it stands; false if it has ended, and should not be at work. */
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

  /** When it had its input, or had it in order; 0 for not yet. */
  synchronized void reached(TaskAttemptID attempt, long shuffledMs, long sortedMs) {
    Attempt of = attempts.get(attempt);
    if (of != null) {
      of.shuffledMs = shuffledMs;
      of.sortedMs = sortedMs;
    }
  }

  /** Of an attempt, at any time. */
  public synchronized AttemptRecord record(TaskAttemptID attempt) {
    Attempt of = attempts.get(attempt);
    return new AttemptRecord(attempt, of.startMs, of.shuffledMs, of.sortedMs, state, of.counters);
  }

  /** When its first attempt began, or 0. */
  public synchronized long startMs() {
    return startMs;
  }

  /** When it ended, or 0. */
  public synchronized long finishMs() {
    return finishMs;
  }

  synchronized boolean isAtWork(TaskAttemptID attempt) {
    Attempt of = attempts.get(attempt);
    return of != null && !of.ended;
  }

  /** One attempt may commit, until it has failed; none that was told to end. */
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

  /** An attempt has ended well, and the task with it. */
  public synchronized void succeeded(TaskAttemptID attempt) {
    Attempt of = attempts.get(attempt);
    of.ended = true;
    of.thread = null;
    setProgress(attempt, of, 1);
    status = TIPStatus.COMPLETE;
    finishMs = System.currentTimeMillis();
  }

  /**
   * An attempt has ended in vain; the task has not yet.
   *
   * @param counts whether by its own fault
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

  /** Whether the task has ended in vain, and not because its job ends. */
  public synchronized boolean hasFailed() {
    return status == TIPStatus.FAILED;
  }

  /** The task has ended in vain, with its last attempt. */
  public synchronized void ended(TIPStatus how) {
    status = how;
    finishMs = System.currentTimeMillis();
  }

  /** How far it is, from 0 to 1. */
  public synchronized float progress() {
    return current == null ? 0 : attempts.get(current).progress;
  }

  /** Those of the attempt that counts. */
  public synchronized Counters counters() {
    return current == null ? new Counters() : attempts.get(current).counters;
  }

  /** Of an attempt. */
  public synchronized String[] diagnostics(TaskAttemptID attempt) {
    Attempt of = attempts.get(attempt);
    return of == null ? new String[0] : of.diagnostics.toArray(String[]::new);
  }

  /** For clients. */
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

  /** With what Hadoop lets only its own classes and subclasses say. */
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
}
