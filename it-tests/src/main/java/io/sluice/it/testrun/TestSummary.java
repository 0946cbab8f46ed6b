package io.sluice.it.testrun;

import io.sluice.it.report.Console;
import io.sluice.it.report.TestReports;
import java.util.List;
import java.util.Optional;

/**
 * What came of a test run.
 *
 * @param results of its tasks
 * @param noLab why the lab could not run; empty if it has
 * @param table what was to run
 * @param wallMs with the build
 */
public record TestSummary(
    List<TaskResult> results, Optional<String> noLab, SuiteTable table, long wallMs) {

  /** All tests; of one that ran in several places the better outcome counts. */
  public TestReports reports() {
    return results.stream()
        .map(TaskResult::reports)
        .reduce(new TestReports(List.of()), TestReports::with);
  }

  /** Every suite's time, slowest first. */
  public SuiteTimes times() {
    return new SuiteTimes(
        results.stream().flatMap(result -> result.suites().stream()).toList(), table);
  }

  /** Fails with any task; a task in which nothing ran has not passed. */
  public boolean passed() {
    return !results.isEmpty() && results.stream().allMatch(TaskResult::passed);
  }

  /** Prints what people shall know; the count, which comes last, is the caller's. */
  public void print(Console console) {
    console.say("");
    for (TaskResult result : results) {
      result.details().forEach(detail -> console.say("  " + result.name() + ": " + detail));
    }
    console.say("");
    times().print(console);
    TestReports reports = reports();
    reports.skipped().forEach(test -> console.say("SKIPPED: " + test));
    reports.failed().forEach(test -> console.say("FAILED:  " + test));
    for (TaskResult result : results) {
      if (!result.passed()) {
        console.say("FAILED:  " + result.name() + ": " + result.problem().orElse(reason(result)));
      }
    }
    console.say("%.0f s with the build".formatted(wallMs / 1e3));
  }

  private static String reason(TaskResult result) {
    return result.reports().failed().isEmpty()
        ? "nothing ran: " + result.reports().count()
        : result.reports().count();
  }
}
