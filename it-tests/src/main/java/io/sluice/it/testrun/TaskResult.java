package io.sluice.it.testrun;

import io.sluice.it.report.TestOutcome;
import io.sluice.it.report.TestReports;
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
 * @param reports of its tests
 * @param problem why it has not passed though its tests have; empty if it has
 * @param details what people shall know besides
 * @param suites how long each of its suites took
 */
public record TaskResult(
    String name,
    TestReports reports,
    Optional<String> problem,
    List<String> details,
    List<SuiteTime> suites) {

  /** A task that was broken off, or that nothing is known of. */
  static TaskResult broken(String name, String reason) {
    return new TaskResult(
        name, TestReports.ofFailure(name, reason), Optional.of(reason), List.of(), List.of());
  }

  /** Of tests of classes, each of which is a suite; a task in which nothing ran has not passed. */
  static TaskResult ofClasses(String name, TestReports reports, Optional<String> problem) {
    Map<String, Long> wallMs = new LinkedHashMap<>();
    for (TestOutcome test : reports.outcomes()) {
      wallMs.merge(simpleName(test.suite()), test.wallMs(), Long::sum);
    }
    List<SuiteTime> suites = new ArrayList<>();
    wallMs.forEach((suite, ms) -> suites.add(new SuiteTime(suite, ms)));
    suites.sort(Comparator.comparing(SuiteTime::suite));
    return new TaskResult(name, reports, problem, List.of(), suites);
  }

  /** The same with tests that are part of its suites and take no time besides. */
  TaskResult with(TestReports more) {
    return new TaskResult(name, reports.with(more), problem, details, suites);
  }

  private static String simpleName(String className) {
    return className.substring(className.lastIndexOf('.') + 1).replaceFirst("\\$.*", "");
  }

  /** Whether something ran, nothing failed and it came to its end. */
  boolean passed() {
    return problem.isEmpty() && reports.failed().isEmpty() && reports.passed() > 0;
  }
}
