package io.sluice.local.job;

import io.sluice.local.exchange.TaskPermits;
import io.sluice.local.task.AttemptGivenUp;
import io.sluice.local.task.AttemptRecord;
import io.sluice.local.task.AttemptThread;
import io.sluice.local.task.PolledWait;
import io.sluice.local.task.TaskState;
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
 * All maps or all reduces of a job, some at a time, each tried again until it has failed too often.
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever makes it closes it, which ends what
 * still runs. Failure: of {@link #done}, with that of the first task that failed for good.
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
  private final Listener listener;
  private final ExecutorService pool;
  private final CompletableFuture<Void> done;
  private final AtomicInteger failedTasks = new AtomicInteger();
  private volatile boolean stopped;

  /** What an attempt at one of the tasks does. */
  interface Attempts {
    /** Waits until another may begin. */
    TaskPermits.Slot admit() throws InterruptedException;

    /** One attempt, on a thread of its own. */
    void run(TaskAttemptID attempt, TaskPermits.Slot slot) throws Exception;

    /** It is the one that counts: it has ended well, and was not given up before. */
    default void succeeded(TaskAttemptID attempt) {}
  }

  /** Is told of attempts. */
  interface Listener {
    /** One begins. */
    void began(TaskState task, TaskAttemptID attempt);

    /** It has ended well, and the task with it. */
    void succeeded(TaskState task, TaskAttemptID attempt);

    /**
     * It has ended in vain.
     *
     * @param before what it had told until then
     * @param error with its stack trace, for users
     * @param cause of a failure, or null if it was killed
     * @param isLast whether the task has ended with it
     */
    void failed(
        TaskState task, AttemptRecord before, String error, Throwable cause, boolean isLast);
  }

  /**
   * Begins with the first ones.
   *
   * @param most at a time
   * @param mostFailures of a task before that fails for good
   * @param failedTasksPercent of the tasks that may fail for good without failing the job
   * @param triesAgain whether it goes on with another attempt at a task until then
   * @param timeoutMs for which a task may say nothing of its progress, or 0
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
      Listener listener) {
    this.threads = threads;
    this.what = what;
    this.tasks = tasks.size();
    this.mostFailures = mostFailures;
    this.failedTasksPercent = failedTasksPercent;
    this.triesAgain = triesAgain;
    this.timeoutMs = timeoutMs;
    this.attempts = attempts;
    this.listener = listener;
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

  /** Tells all of it to end. */
  void stop() {
    stopped = true;
    if (!pool.shutdownNow().isEmpty()) {
      done.completeExceptionally(
          new IOException("some " + what + "s have not begun, and end with their job"));
    }
  }

  /** Never done, unless a task has failed for good. */
  CompletableFuture<Void> failed() {
    CompletableFuture<Void> failed = new CompletableFuture<>();
    done.exceptionally(
        e -> {
          failed.completeExceptionally(e);
          return null;
        });
    return failed;
  }

  /** Done when all tasks are, or one has failed for good. */
  CompletableFuture<Void> done() {
    return done;
  }

  private void runTask(TaskState task) {
    while (!pool.isShutdown()) {
      // Given back here, since an attempt that is given up does not.
      try (TaskPermits.Slot slot = attempts.admit()) {
        if (hasEnded(task, slot)) {
          return;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    throw new CompletionException(new IOException(task.id() + " ends with its job"));
  }

  private boolean hasEnded(TaskState task, TaskPermits.Slot slot) {
    AttemptThread attempt = task.begin(threads.ofTasks(what), id -> attempts.run(id, slot));
    TaskAttemptID id = attempt.id();
    listener.began(task, id);
    try {
      attempt.run(() -> silence(task, id), graceMs());
      if (attempt.endReason() != null && !task.isCommitting(id)) {
        throw new InterruptedIOException(id + " has ended as it was told to, and not done all");
      }
    } catch (Throwable e) {
      return failed(task, id, attempt, e);
    }
    // What is thrown from here on fails the job: it has committed, and must not do so again.
    task.succeeded(id);
    attempts.succeeded(id);
    listener.succeeded(task, id);
    return true;
  }

  private long graceMs() {
    return timeoutMs > 0 ? Math.min(MOST_GRACE_MS, timeoutMs) : MOST_GRACE_MS;
  }

  private String silence(TaskState task, TaskAttemptID id) {
    return timeoutMs > 0 && task.silentLooks(id) * PolledWait.LOOK_MS > timeoutMs
        ? "it has said nothing of its progress for " + timeoutMs / 1_000 + " s"
        : null;
  }

  /** Whether the task has ended with it, and the job goes on. */
  private boolean failed(TaskState task, TaskAttemptID id, AttemptThread attempt, Throwable e) {
    boolean jobEnds = pool.isShutdown();
    boolean counts = !jobEnds && !task.isKilled(id);
    boolean mayCommitLater =
        e instanceof AttemptGivenUp && task.isCommitting(id) && !attempt.isCleaningUp();
    String reason =
        (attempt.endReason() == null ? "" : "Ended, since " + attempt.endReason() + ": ")
            + (mayCommitLater ? "It may still commit its output, so no other attempt may: " : "");
    String error = reason + FailureLog.trace(e);
    AttemptRecord before = task.record(id);
    task.failed(id, error, counts);
    // Where none is tried again here, all may be tried once more by who has made this.
    boolean isLast =
        mayCommitLater || stopped || (jobEnds && triesAgain) || task.failures() >= mostFailures;
    if (isLast) {
      task.ended(jobEnds && !mayCommitLater ? TIPStatus.KILLED : TIPStatus.FAILED);
    }
    listener.failed(task, before, error, counts ? e : null, isLast);
    if (isLast && !mayCommitLater && !jobEnds && isAllowed(failedTasks.incrementAndGet())) {
      LOG.warn(
          "{} has failed for good; its job goes on without it, as {} percent of the {}s may fail",
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
    for (int s = 0; !ended && s < END_S; s++) { // counted: a process that was stopped waits on
      try {
        ended = pool.awaitTermination(1, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        interrupted = true; // what it waits for uses what is closed next
      }
    }
    if (!ended) {
      LOG.warn("Some {} does not end although it was interrupted", what);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
