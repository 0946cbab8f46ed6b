package io.sluice.it.testrun;

import io.sluice.it.report.Console;
import io.sluice.it.report.TestReports;
import io.sluice.it.report.TestReports.TestOutcome;
import io.sluice.it.testrun.TestTask.TaskResult;
import io.sluice.it.testrun.TestTask.TaskResult.SuiteTime;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The result of a test run.
 *
 * @param commit that was tested
 * @param results of its tasks, and of suites that reported nothing
 * @param refused why the lab, or a suite of it, could not run, by its name
 * @param table what was to run
 * @param wallMs with the build
 */
public record TestSummary(
    String commit,
    List<TaskResult> results,
    Map<String, String> refused,
    SuiteTable table,
    long wallMs) {

  /** Broken tasks, one for each suite that was to run and that no result names. */
  static List<TaskResult> silent(List<TaskResult> results, List<String> expected) {
    Set<String> reported =
        results.stream()
            .flatMap(result -> result.suites().stream())
            .map(SuiteTime::suite)
            .collect(Collectors.toSet());
    return expected.stream()
        .filter(suite -> !reported.contains(suite))
        .map(suite -> TaskResult.broken(suite, "was to run and reported nothing"))
        .toList();
  }

  /**
   * All tests, and what counts as such: problems of tasks, and what the lab could not run. Of a
   * test that ran in several places a failure counts first, then that it passed.
   */
  public TestReports reports() {
    List<TestOutcome> skipped = new ArrayList<>();
    refused.forEach(
        (suite, why) -> skipped.add(TestOutcome.of(suite, TestOutcome.State.SKIPPED, why)));
    TestReports lab = new TestReports(skipped);
    return results.stream().map(TaskResult::reports).reduce(lab, TestReports::with);
  }

  /** Every suite's time, slowest first. */
  public SuiteTimes times() {
    return new SuiteTimes(
        results.stream().flatMap(result -> result.suites().stream()).toList(), table);
  }

  /** Whether something ran, and nothing failed. */
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
    TestReports.inShort(reports.skippedByReason()).forEach(line -> console.say("SKIPPED: " + line));
    console.say("");
    times().print(console); // below the long list: often only the end of a run is kept
    reports.failed().forEach(test -> console.say("FAILED:  " + test));
    console.say("%.0f s with the build".formatted(wallMs / 1e3));
  }

  /** How long each suite took, and whether that was more than its share. Immutable. */
  public static final class SuiteTimes {
    /** Of those below, most of them unit tests, only the sum is told. */
    private static final long SHORT_MS = 5_000;

    /** Marks a suite that took longer than its share, where there are no colours. */
    private static final String SLOW = "SLOW";

    private final List<Row> rows;

    /**
     * One suite.
     *
     * @param suite its name in the table of suites
     * @param seconds it took
     * @param shareS it may take
     */
    public record Row(String suite, double seconds, int shareS) {
      /** Fails nothing, but is printed in red. */
      public boolean slow() {
        return seconds > shareS;
      }
    }

    SuiteTimes(List<SuiteTime> times, SuiteTable table) {
      Map<String, Long> wallMs = new LinkedHashMap<>();
      times.forEach(time -> wallMs.merge(time.suite(), time.wallMs(), Long::sum));
      List<Row> sorted = new ArrayList<>();
      wallMs.forEach((suite, ms) -> sorted.add(new Row(suite, ms / 1e3, table.shareS(suite))));
      sorted.sort(Comparator.comparing(Row::seconds).reversed());
      this.rows = List.copyOf(sorted);
    }

    /** Slowest first. */
    public List<Row> rows() {
      return rows;
    }

    /** The slow ones are red, and marked for where nothing is. */
    void print(Console console) {
      List<Row> shown = rows.stream().filter(SuiteTimes::isShown).toList();
      List<Row> others = rows.stream().filter(row -> !isShown(row)).toList();
      TextTable table = new TextTable(List.of("suite", "seconds", "share", ""));
      for (Row row : shown) {
        table.add(
            List.of(
                row.suite(),
                "%.0f".formatted(row.seconds()),
                Integer.toString(row.shareS()),
                row.slow() ? SLOW : ""));
      }
      double seconds = others.stream().mapToDouble(Row::seconds).sum();
      table.add(List.of(others.size() + " others", "%.0f".formatted(seconds), "", ""));
      table
          .toText()
          .lines()
          .forEach(
              line -> console.say(line.endsWith(SLOW) ? console.red(line) : line.stripTrailing()));
      console.say("");
    }

    private static boolean isShown(Row row) {
      return row.slow() || row.seconds() * 1e3 >= SHORT_MS;
    }
  }
}
