package io.sluice.it.spark.jobs;

/** What becomes of an executor between the stages of a {@link LossJob}. */
public enum Loss {
  /** It goes on. */
  NONE,
  /** It is decommissioned, and ends when it has moved its blocks. */
  DECOMMISSION,
  /** Nothing is asked of it, so that dynamic allocation releases it. */
  IDLE,
  /** It ends as by {@code kill -9}. */
  KILL
}
