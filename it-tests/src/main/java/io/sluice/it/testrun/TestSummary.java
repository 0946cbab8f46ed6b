package io.sluice.it.testrun;

import io.sluice.it.report.Console;
import io.sluice.it.report.TestReports;
import io.sluice.it.report.TestReports.TestOutcome;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What came of a test run.
 *
 * @param commit that was tested
 * @param results of its tasks, and of suites that reported nothing
 * @param noLab why the lab could not run; empty if it has
 * @param table what was to run
 * @param wallMs with the build
 */
public record TestSummary(
    String commit,
    List<TaskResult> results,
    Optional<String> noLab,
    SuiteTable table,
    long wallMs) {

  /** What has to be in the results though no task says so: every suite that was to run. */
  static List<TaskResult> silent(
      List<TaskResult> results, SuiteTable table, boolean all, boolean withLab) {
    Set<String> reported =
        results.stream()
            .flatMap(result -> result.suites().stream())
            .map(SuiteTime::suite)
            .collect(Collectors.toSet());
    return table.expected(all, withLab).stream()
        .filter(suite -> !reported.contains(suite))
        .map(suite -> TaskResult.broken(suite, "was to run and reported nothing"))
        .toList();
  }

  /**
   * All tests, and what counts as such: problems of tasks, and that there is no lab. Of a test that
   * ran in several places a failure counts first, then that it passed.
   */
  public TestReports reports() {
    TestReports lab =
        new TestReports(
            noLab
                .map(why -> List.of(TestOutcome.of("lab", TestOutcome.State.SKIPPED, why)))
                .orElse(List.of()));
    return results.stream().map(TaskResult::reports).reduce(lab, TestReports::with);
  }

  /** Every suite's time, slowest first. */
  public SuiteTimes times() {
    return new SuiteTimes(
        results.stream().flatMap(result -> result.suites().stream()).toList(), table);
  }

  /** What the count says: something ran, and nothing failed. */
  public boolean passed() {
    TestReports reports = reports();
    return reports.failed().isEmpty() && reports.passed() > 0;
  }

  /** Prints what people shall know; the count, which comes last, is the caller's. */
  public void print(Console console) {
    console.say("");
    for (TaskResult result : results) {
      result.details().forEach(detail -> console.say("  " + result.name() + ": " + detail));
    }
    TestReports reports = reports();
    reports.skipped().forEach(test -> console.say("SKIPPED: " + test));
    console.say("");
    times().print(console); // below the long list: often only the end of a run is kept
    reports.failed().forEach(test -> console.say("FAILED:  " + test));
    console.say("%.0f s with the build".formatted(wallMs / 1e3));
  }
}
