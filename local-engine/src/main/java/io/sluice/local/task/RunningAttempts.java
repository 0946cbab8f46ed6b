package io.sluice.local.task;

import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * Attempts of one job that run now, so that one of them can be stopped: its thread is interrupted,
 * and that interrupt reaches nothing that the thread does afterwards.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class RunningAttempts {
  private final Map<TaskAttemptID, Attempt> running = new HashMap<>();

  private static final class Attempt {
    private final Thread thread = Thread.currentThread();
    private Boolean stoppedAsFailure; // null: it was not stopped
  }

  /** What an attempt does. */
  public interface Body {
    /** Of this attempt. */
    void run(TaskAttemptID id) throws Exception;
  }

  /** Of no attempt yet. */
  public RunningAttempts() {}

  /**
   * Runs one on this thread. What has committed its output before it notices that it was stopped
   * has succeeded.
   *
   * @throws AttemptStopped if it was stopped
   * @throws Exception what it failed with
   */
  public void run(TaskAttemptID id, Body body) throws Exception {
    synchronized (this) {
      running.put(id, new Attempt());
    }
    try {
      body.run(id);
    } catch (Exception | Error e) {
      Boolean asFailure = end(id);
      if (asFailure != null) {
        throw new AttemptStopped(asFailure, e);
      }
      throw e;
    }
    end(id);
  }

  private synchronized Boolean end(TaskAttemptID id) {
    Boolean asFailure = running.remove(id).stoppedAsFailure;
    if (asFailure != null) {
      Thread.interrupted();
    }
    return asFailure;
  }

  /**
   * Stops one soon.
   *
   * @param asFailure whether that counts among the failures that its task may have
   * @return false if it does not run
   */
  public synchronized boolean stop(TaskAttemptID id, boolean asFailure) {
    Attempt attempt = running.get(id);
    if (attempt == null) {
      return false;
    }
    attempt.stoppedAsFailure = asFailure;
    attempt.thread.interrupt();
    return true;
  }
}
