package io.sluice.local.task;

import java.io.IOException;
import java.util.concurrent.ThreadFactory;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * One attempt on a thread of its own, which can be told to end, and be given up if it does not.
 *
 * <p>Thread contract: safe from any thread. Ownership: the thread cleans up after itself, also when
 * it was given up.
 */
public final class AttemptThread {
  private static final ThreadLocal<AttemptThread> CURRENT = new ThreadLocal<>();

  private final TaskAttemptID id;
  private final Thread thread;
  private boolean cleansUp; // guarded by this
  private volatile Throwable failure;
  private volatile String endReason; // null: nobody wants it to end

  /** What an attempt does. */
  public interface Body {
    /** Does it. */
    void run(TaskAttemptID id) throws Exception;
  }

  /** Says why an attempt is to end, or null. */
  public interface Watch {
    /** Looks now; called every {@link PolledWait#LOOK_MS} while the attempt runs. */
    String endReason();
  }

  /** One that has not begun. */
  public AttemptThread(TaskAttemptID id, ThreadFactory threads, Body body) {
    this.id = id;
    this.thread =
        threads.newThread(
            () -> {
              CURRENT.set(this);
              CallingJob.enter(id.getJobID());
              try {
                body.run(id);
              } catch (Throwable e) {
                failure = e;
              }
              if (failure != null || endReason != null) { // one that was told to may end well
                AttemptProcesses.kill(id);
              }
            });
  }

  /** The attempt. */
  public TaskAttemptID id() {
    return id;
  }

  /** Tells it to end, for that reason. */
  public synchronized void end(String reason) {
    if (endReason == null) {
      endReason = reason;
    }
    if (!cleansUp) {
      thread.interrupt();
    }
  }

  /** The attempt that this thread runs has failed, and is not interrupted any more. */
  static void cleansUp() {
    AttemptThread attempt = CURRENT.get();
    synchronized (attempt) { // or an interrupt could come behind the last look
      attempt.cleansUp = true;
      Thread.interrupted();
    }
  }

  /** Whether it has failed, and does now what a failed attempt has to do. */
  public synchronized boolean isCleaningUp() {
    return cleansUp;
  }

  /** Why it was told to, or null. */
  public String endReason() {
    return endReason;
  }

  /**
   * Runs it to its end, and looks every second whether it has to end.
   *
   * @param graceMs how long it may take to end when it was told to; at least one look
   * @throws AttemptGivenUp if it does not end although it was told to
   * @throws Exception what it failed with
   */
  public void run(Watch watch, long graceMs) throws Exception {
    thread.start();
    boolean interrupted = false;
    try {
      PolledWait grace = new PolledWait(graceMs);
      while (true) {
        try {
          if (PolledWait.hasEnded(thread)) {
            break;
          }
        } catch (InterruptedException e) {
          interrupted = true;
          end("its job ends");
        }
        String reason = endReason == null ? watch.endReason() : endReason;
        if (reason == null) {
          continue;
        }
        end(reason); // again, if it has swallowed the interrupt
        AttemptProcesses.kill(id);
        if (grace.areOver()) {
          thread.interrupt(); // also while it cleans up: nobody waits for that any longer
          throw new AttemptGivenUp(id, reason, thread.getStackTrace());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    if (failure instanceof Exception e) {
      throw e;
    } else if (failure instanceof Error e) {
      throw e;
    } else if (failure != null) {
      throw new IOException(failure); // there are others, in other languages
    }
  }
}
