package io.sluice.it.testrun;

import io.sluice.it.report.Console;
import io.sluice.it.report.TestReports;
import io.sluice.it.report.TestReports.TestOutcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A part of the test run that can go on beside the others: it has processes and files of its own.
 *
 * <p>Thread contract: any one thread runs it, once. An interrupt ends it early, with what it has
 * started, and it says so in its result.
 */
interface TestTask {
  /** Short; it stands before every line that the task says. */
  String name();

  /** Memory that it may need with all that it starts, in MiB. */
  int memoryMb();

  /** Runs to the end, whatever that is. */
  TaskResult run(Console console);

  /**
   * The result of a task.
   *
   * @param name of the task
   * @param reports of its tests, and its problem
   * @param problem what went wrong besides tests that failed; empty if nothing did
   * @param details what people shall know besides
   * @param suites how long each of its suites took
   */
  record TaskResult(
      String name,
      TestReports reports,
      Optional<String> problem,
      List<String> details,
      List<SuiteTime> suites) {

    /** A problem of the task itself counts as a failed test, and so does it that no test ran. */
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

    /** Of a task that was broken off, or of which nothing is known. */
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

    /**
     * How long a suite took, beside whatever else was running.
     *
     * @param suite simple name of a test class, or {@code lab NAME}
     * @param wallMs from its first test's start to its last one's end
     */
    record SuiteTime(String suite, long wallMs) {}
  }
}
