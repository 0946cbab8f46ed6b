package io.sluice.it.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.report.TestOutcome;
import io.sluice.it.report.TestReports;
import java.util.List;
import org.junit.jupiter.api.Test;

class SuiteResultTest {
  private static final TestOutcome PASSED =
      TestOutcome.of("a.Test.passes", TestOutcome.State.PASSED, "");

  /** Else nobody learns why: nothing but the console knows of a JVM that crashed at its end. */
  @Test
  void aGuestThatEndsBadlyAfterGoodTestsShowsItsConsole() {
    SuiteResult result = result(134, PASSED);

    assertThat(result.passed()).isFalse();
    assertThat(result.problem()).get().asString().contains("status 134", "SIGSEGV");
  }

  @Test
  void aTestThatFailedSaysItself() {
    SuiteResult result =
        result(1, PASSED, TestOutcome.of("a.Test.fails", TestOutcome.State.FAILED, "why"));

    assertThat(result.passed()).isFalse();
    assertThat(result.problem()).isEmpty();
  }

  @Test
  void aGoodEndIsNoProblem() {
    assertThat(result(0, PASSED).passed()).isTrue();
    assertThat(result(0, PASSED).problem()).isEmpty();
  }

  private static SuiteResult result(int exitStatus, TestOutcome... outcomes) {
    return new SuiteResult(
        LabSuite.STORE, exitStatus, new TestReports(List.of(outcomes)), 1, "# SIGSEGV (0xb)");
  }
}
