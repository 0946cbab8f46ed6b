package io.sluice.it.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.it.job.JobHistory.TaskAttempt;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TaskAttemptTest {
  /** A reduce that began at 1,000 and had merged at 4,000. */
  @ParameterizedTest
  @CsvSource({"500, 3000", "1000, 3000", "3900, 100", "4000, 0", "9000, 0"})
  void aReduceThatWaitsForMapsDoesNotMergeMeanwhile(long mapsEndedAtMs, long expectedMs) {
    TaskAttempt reduce =
        new TaskAttempt("a", false, "SUCCEEDED", "c", "n", 2_900, 100, 10_000, 9_000, "");
    assertEquals(expectedMs, reduce.mergedAfterMs(mapsEndedAtMs));
  }
}
