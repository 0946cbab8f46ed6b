package io.sluice.it.job;

/**
 * When a job ran.
 *
 * @param submittedAtMs since 1970
 * @param finishedAtMs the same
 */
record JobTimes(long submittedAtMs, long finishedAtMs) {
  long wallMs() {
    return finishedAtMs - submittedAtMs;
  }
}
