package io.sluice.it.testrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.report.TestReports;
import io.sluice.it.report.TestReports.TestOutcome;
import io.sluice.it.testrun.TestTask.TaskResult;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TestSummaryTest {
  private static final TestReports NONE = new TestReports(List.of());
  private static final SuiteTable TABLE =
      SuiteTable.parse(
          List.of(
              "| suite | lane | `./sluice test` | `--all` adds | share, s |",
              "|---|---|---|---|---|",
              "| unit tests, each class | unit | all | – | 3 |",
              "| OneIT | host one | all | – | 60 |",
              "| LongIT | host one | – | all | 60 |",
              "| lab store | lab | all | – | 300 |"));

  @Test
  void aSuiteThatWasToRunAndReportedNothingFailsByName() {
    List<TaskResult> of = List.of(lane(TestOutcome.State.PASSED, Optional.empty(), "a.OneIT"));
    assertEquals(
        List.of("lab store"), names(TestSummary.silent(of, TABLE.expected(false, Set.of()))));
    assertEquals(List.of(), names(TestSummary.silent(of, TABLE.expected(false, Set.of("lab")))));
    assertEquals(
        List.of("LongIT"), names(TestSummary.silent(of, TABLE.expected(true, Set.of("lab")))));
    assertFalse(summary(TestSummary.silent(of, TABLE.expected(false, Set.of()))).passed());
  }

  /** Skipping is something to report. */
  @Test
  void aSuiteThatSkippedIsHeardOf() {
    List<TaskResult> of = List.of(lane(TestOutcome.State.SKIPPED, Optional.empty(), "a.OneIT"));
    assertEquals(List.of(), names(TestSummary.silent(of, TABLE.expected(false, Set.of("lab")))));
  }

  @Test
  void whatFailsTheRunIsInItsRecord() {
    TestSummary summary =
        summary(
            List.of(
                lane(TestOutcome.State.PASSED, Optional.of("ended with exit status 137"), "a.B"),
                TaskResult.broken("lab faults", "not done in time")));
    assertFalse(summary.passed());
    TestRecord record = TestRecord.of(summary);
    assertEquals(
        List.of("lane: ended with exit status 137", "lab faults: not done in time"),
        record.failed());
    assertEquals(List.of("lab: no qemu"), record.skipped());
    String page = record.toMarkdown();
    assertTrue(page.contains("1 passed, 2 failed, 1 skipped"), page);
    assertTrue(page.contains("- skipped: lab: no qemu"), page);
    assertTrue(page.contains("Commit abc"), page);
  }

  /** Many tests that lack the same library are no news each. */
  @Test
  void testsThatWereSkippedForOneReasonAreOneLineOfThePage() {
    TestReports skipped =
        new TestReports(
            List.of(
                skipped("io.sluice.OneTest.reads", "no library"),
                skipped("io.sluice.OneTest$Nested.writes", "no library"),
                skipped("io.sluice.OneTest.ends", "no library"),
                skipped("io.sluice.OneTest.begins: at once", "root may")));
    TestRecord record =
        TestRecord.of(
            summary(List.of(TaskResult.ofClasses("lane", skipped, NONE, Optional.empty()))));
    assertEquals(5, record.skipped().size());
    String page = record.toMarkdown();
    assertTrue(page.contains(", 5 skipped"), page);
    assertTrue(page.contains("- skipped: 3 tests of OneTest, OneTest$Nested: no library\n"), page);
    assertTrue(page.contains("- skipped: io.sluice.OneTest.begins: at once: root may\n"), page);
  }

  private static TestOutcome skipped(String name, String reason) {
    return TestOutcome.of(name, TestOutcome.State.SKIPPED, reason);
  }

  private static TestSummary summary(List<TaskResult> results) {
    return new TestSummary("abc", results, Map.of("lab", "no qemu"), TABLE, 1);
  }

  private static TaskResult lane(
      TestOutcome.State state, Optional<String> problem, String className) {
    TestOutcome test = new TestOutcome(className, className + ".test", state, "", List.of(), 1);
    return TaskResult.ofClasses("lane", new TestReports(List.of(test)), NONE, problem);
  }

  private static List<String> names(List<TaskResult> results) {
    return results.stream().map(TaskResult::name).toList();
  }
}
