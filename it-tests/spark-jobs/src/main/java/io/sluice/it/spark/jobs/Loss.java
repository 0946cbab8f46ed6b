package io.sluice.it.spark.jobs;

/** What becomes of an executor between the stages of a {@link LossJob}. */
public enum Loss {
  /** It goes on. */
  NONE,
  /** It is decommissioned, and ends when it has moved its blocks. */
  DECOMMISSION,
  /** Nothing is asked of any that has written, so that dynamic allocation releases them all. */
  IDLE,
  /** It ends as by {@code kill -9}. */
  KILL
}
