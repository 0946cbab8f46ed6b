package io.sluice.local.job;

import io.sluice.local.exchange.TaskPermits;
import io.sluice.local.job.AttemptLog.FailureLog;
import io.sluice.local.task.AttemptThread;
import io.sluice.local.task.AttemptThread.AttemptGivenUp;
import io.sluice.local.task.PolledWait;
import io.sluice.local.task.TaskState;
import io.sluice.local.task.TaskState.AttemptRecord;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.mapred.TIPStatus;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs all maps or all reduces of a job, some at a time. A failed task is tried again until it has
 * failed too often.
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller closes it, which ends running
 * tasks. Failure: {@link #done} fails with the first task that failed finally.
 */
final class TaskPhase implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TaskPhase.class);
  private static final int END_S = 60;
  private static final long MOST_GRACE_MS = 10_000;

  private final JobThreads threads;
  private final String what;
  private final int tasks;
  private final int mostFailures;
  private final int failedTasksPercent;
  private final boolean triesAgain;
  private final long timeoutMs;
  private final Attempts attempts;
  private final AttemptLog log;
  private final ExecutorService pool;
  private final CompletableFuture<Void> done;
  private final AtomicInteger failedTasks = new AtomicInteger();
  private volatile boolean stopped;

  /** The work of attempts. */
  interface Attempts {
    /** Waits until another attempt may begin. */
    TaskPermits.Slot admit() throws InterruptedException;

    /** Runs one attempt, on a thread of its own. */
    void run(TaskAttemptID attempt, TaskPermits.Slot slot) throws Exception;

    /** The attempt has succeeded, and its output counts. */
    default void succeeded(TaskAttemptID attempt) {}
  }

  /**
   * Begins the first tasks.
   *
   * @param most tasks at a time
   * @param mostFailures failures of a task after which it has failed finally
   * @param failedTasksPercent percentage of tasks that may fail finally without failing the job
   * @param triesAgain whether a failed task gets another attempt
   * @param timeoutMs longest time for a task without progress; 0 for no limit
   */
  TaskPhase(
      JobThreads threads,
      String what,
      List<TaskState> tasks,
      int most,
      int mostFailures,
      int failedTasksPercent,
      boolean triesAgain,
      long timeoutMs,
      Attempts attempts,
      AttemptLog log) {
    this.threads = threads;
    this.what = what;
    this.tasks = tasks.size();
    this.mostFailures = mostFailures;
    this.failedTasksPercent = failedTasksPercent;
    this.triesAgain = triesAgain;
    this.timeoutMs = timeoutMs;
    this.attempts = attempts;
    this.log = log;
    this.pool =
        Executors.newFixedThreadPool(
            Math.max(1, Math.min(most, tasks.size())), threads.of(what + "-runner"));
    List<CompletableFuture<Void>> all = new ArrayList<>();
    tasks.forEach(task -> all.add(CompletableFuture.runAsync(() -> runTask(task), pool)));
    this.done = firstFailureOrAll(all);
  }

  private static CompletableFuture<Void> firstFailureOrAll(List<CompletableFuture<Void>> all) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    all.forEach(
        each ->
            each.exceptionally(
                e -> {
                  done.completeExceptionally(e);
                  return null;
                }));
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenRun(() -> done.complete(null));
    return done;
  }

  /** Tells all tasks to end. */
  void stop() {
    stopped = true;
    if (!pool.shutdownNow().isEmpty()) {
      done.completeExceptionally(
          new IOException("the job ends before all " + what + "s have begun"));
    }
  }

  /** Completes only if a task has failed finally. */
  CompletableFuture<Void> failed() {
    CompletableFuture<Void> failed = new CompletableFuture<>();
    done.exceptionally(
        e -> {
          failed.completeExceptionally(e);
          return null;
        });
    return failed;
  }

  /** Completes when all tasks have ended, or one has failed finally. */
  CompletableFuture<Void> done() {
    return done;
  }

  private void runTask(TaskState task) {
    while (!pool.isShutdown()) {
      // Returned here, because an abandoned attempt does not return it.
      try (TaskPermits.Slot slot = attempts.admit()) {
        if (hasEnded(task, slot)) {
          return;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    throw new CompletionException(
        new IOException("the job ends before " + task.id() + " has succeeded"));
  }

  private boolean hasEnded(TaskState task, TaskPermits.Slot slot) {
    AttemptThread attempt = task.begin(threads.ofTasks(what), id -> attempts.run(id, slot));
    TaskAttemptID id = attempt.id();
    log.began(task, id);
    try {
      attempt.run(() -> silence(task, id), graceMs());
      if (attempt.endReason() != null && !task.isCommitting(id)) {
        throw new InterruptedIOException(id + " was told to end, and has ended before it was done");
      }
    } catch (Throwable e) {
      return failed(task, id, attempt, e);
    }
    // An exception from here on fails the job, because the attempt has committed.
    task.succeeded(id);
    attempts.succeeded(id);
    log.succeeded(task, id);
    return true;
  }

  private long graceMs() {
    return timeoutMs > 0 ? Math.min(MOST_GRACE_MS, timeoutMs) : MOST_GRACE_MS;
  }

  private String silence(TaskState task, TaskAttemptID id) {
    return timeoutMs > 0 && task.silentPolls(id) * PolledWait.POLL_MS > timeoutMs
        ? "it has reported no progress for " + timeoutMs / 1_000 + " s"
        : null;
  }

  /** Handles a failed attempt; true if the task has ended with it and the job goes on. */
  private boolean failed(TaskState task, TaskAttemptID id, AttemptThread attempt, Throwable e) {
    boolean jobEnds = pool.isShutdown();
    boolean counts = !jobEnds && !task.isKilled(id);
    boolean mayCommitLater =
        e instanceof AttemptGivenUp && task.isCommitting(id) && !attempt.isCleaningUp();
    String reason =
        (attempt.endReason() == null ? "" : "Ended, because " + attempt.endReason() + ": ")
            + (mayCommitLater ? "It may still commit its output, so no other attempt may: " : "");
    String error = reason + FailureLog.trace(e);
    AttemptRecord before = task.record(id);
    task.failed(id, error, counts);
    // Without further attempts here, the caller may run all tasks once more.
    boolean isLast =
        mayCommitLater || stopped || (jobEnds && triesAgain) || task.failures() >= mostFailures;
    if (isLast) {
      task.ended(jobEnds && !mayCommitLater ? TIPStatus.KILLED : TIPStatus.FAILED);
    }
    log.failed(task, before, error, counts ? e : null, isLast);
    if (isLast && !mayCommitLater && !jobEnds && isAllowed(failedTasks.incrementAndGet())) {
      LOG.warn(
          "{} has failed finally; the job goes on without it, because {} percent of the {}s"
              + " may fail",
          task.id(),
          failedTasksPercent,
          what);
      return true;
    }
    if (isLast || !triesAgain) {
      throw new CompletionException(
          new IOException("Task failed " + task.id() + ": " + reason + e, e));
    }
    return false;
  }

  private boolean isAllowed(int failed) {
    return failed * 100L <= (long) failedTasksPercent * tasks;
  }

  @Override
  public void close() {
    pool.shutdownNow();
    boolean interrupted = false;
    boolean ended = false;
    for (int s = 0; !ended && s < END_S; s++) { // counts seconds, so a stopped process waits on
      try {
        ended = pool.awaitTermination(1, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        interrupted = true; // waits on, because tasks use what is closed next
      }
    }
    if (!ended) {
      LOG.warn("A {} did not end within a minute after it was interrupted", what);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
