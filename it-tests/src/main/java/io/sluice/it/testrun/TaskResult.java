package io.sluice.it.testrun;

import io.sluice.it.report.TestReports;
import io.sluice.it.report.TestReports.TestOutcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What came of a task.
 *
 * @param name of the task
 * @param reports of its tests, and its problem
 * @param problem what went wrong besides tests that failed; empty if nothing did
 * @param details what people shall know besides
 * @param suites how long each of its suites took
 */
public record TaskResult(
    String name,
    TestReports reports,
    Optional<String> problem,
    List<String> details,
    List<SuiteTime> suites) {

  /** What is wrong with the task itself counts as a test that failed, and so does that none ran. */
  public TaskResult {
    if (problem.isEmpty() && reports.failed().isEmpty() && reports.passed() == 0) {
      problem = Optional.of("nothing ran: " + reports.count());
    }
    reports =
        reports.with(
            problem
                .map(what -> TestReports.ofFailure(name, what))
                .orElse(new TestReports(List.of())));
  }

  /** A task that was broken off, or that nothing is known of. */
  static TaskResult broken(String name, String reason) {
    return new TaskResult(
        name, new TestReports(List.of()), Optional.of(reason), List.of(), List.of());
  }

  /**
   * Of tests of classes, each of which is a suite.
   *
   * @param within tests that are part of the suites and take no time besides
   */
  static TaskResult ofClasses(
      String name, TestReports reports, TestReports within, Optional<String> problem) {
    Map<String, Long> wallMs = new LinkedHashMap<>();
    for (TestOutcome test : reports.outcomes()) {
      wallMs.merge(simpleName(test.suite()), test.wallMs(), Long::sum);
    }
    List<SuiteTime> suites = new ArrayList<>();
    wallMs.forEach((suite, ms) -> suites.add(new SuiteTime(suite, ms)));
    suites.sort(Comparator.comparing(SuiteTime::suite));
    return new TaskResult(name, reports.with(within), problem, List.of(), suites);
  }

  private static String simpleName(String className) {
    return className.substring(className.lastIndexOf('.') + 1).replaceFirst("\\$.*", "");
  }

  /** Whether something ran, nothing failed and it came to its end. */
  boolean passed() {
    return reports.failed().isEmpty();
  }
}
