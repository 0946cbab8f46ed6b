package io.sluice.local.task;

/** An attempt did not end by itself: somebody asked for its end. */
public final class AttemptStopped extends Exception {
  private static final long serialVersionUID = 1;

  private final boolean countsAsFailure;

  AttemptStopped(boolean countsAsFailure, Throwable cause) {
    super((countsAsFailure ? "failed" : "killed") + " at the user's wish", cause);
    this.countsAsFailure = countsAsFailure;
  }

  /** Whether its task may fail with it. */
  public boolean countsAsFailure() {
    return countsAsFailure;
  }
}
