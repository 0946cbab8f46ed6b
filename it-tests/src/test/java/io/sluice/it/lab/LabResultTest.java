package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.report.TestReports;
import io.sluice.it.report.TestReports.TestOutcome;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LabResultTest {
  private static final TestOutcome PASSED =
      TestOutcome.of("a.Test.passes", TestOutcome.State.PASSED, "");

  /** Else nobody learns why: nothing but the console knows of a JVM that crashed at its end. */
  @Test
  void aGuestThatEndsBadlyAfterGoodTestsShowsItsConsole() {
    LabResult result = result(134, PASSED);

    assertFalse(result.passed());
    String problem = result.problem().orElseThrow();
    assertTrue(problem.contains("status 134") && problem.contains("SIGSEGV"), problem);
  }

  @Test
  void aTestThatFailedSaysItself() {
    LabResult result =
        result(1, PASSED, TestOutcome.of("a.Test.fails", TestOutcome.State.FAILED, "why"));

    assertFalse(result.passed());
    assertEquals(Optional.empty(), result.problem());
  }

  @Test
  void aGoodEndIsNoProblem() {
    assertTrue(result(0, PASSED).passed());
    assertEquals(Optional.empty(), result(0, PASSED).problem());
  }

  private static LabResult result(int exitStatus, TestOutcome... outcomes) {
    return LabResult.ofTests(
        LabSuite.STORE, exitStatus, new TestReports(List.of(outcomes)), 1, "# SIGSEGV (0xb)");
  }
}
