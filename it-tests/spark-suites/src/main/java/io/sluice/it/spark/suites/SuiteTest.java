package io.sluice.it.spark.suites;

/**
 * What came of one test.
 *
 * @param state how it ended
 * @param reason why it failed or was not run, with the trace if there is one; empty if it passed
 */
record SuiteTest(String name, State state, String reason, long durationMs) {
  /** How a test ends. */
  enum State {
    PASSED,
    FAILED,
    SKIPPED
  }
}
