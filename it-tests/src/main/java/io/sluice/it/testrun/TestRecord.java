package io.sluice.it.testrun;

import io.sluice.it.report.Machine;
import io.sluice.it.report.TestReports;
import io.sluice.it.testrun.TestSummary.SuiteTimes;
import io.sluice.tools.text.TextTable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/**
 * The result of a whole test run, as it lies in the repository.
 *
 * @param commit that was tested, with {@code -dirty} if the files were not the commit's
 * @param date at the end of the run
 * @param machine that it ran on
 * @param wallS with the build
 * @param passed number of tests
 * @param failed the names of tests, with reasons
 * @param skippedByReason the names of tests, by their reasons
 * @param suites slowest first
 */
public record TestRecord(
    String commit,
    String date,
    Machine machine,
    long wallS,
    int passed,
    List<String> failed,
    Map<String, List<String>> skippedByReason,
    List<SuiteTimes.Row> suites) {
  /** Of a run that has just ended. */
  public static TestRecord of(TestSummary summary) {
    TestReports reports = summary.reports();
    return new TestRecord(
        summary.commit(),
        Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
        Machine.here(),
        summary.wallMs() / 1000,
        reports.passed(),
        reports.failed().stream().map(Object::toString).toList(),
        reports.skippedByReason(),
        summary.times().rows());
  }

  /** The names of tests that were skipped, with reasons. */
  List<String> skipped() {
    return skippedByReason.entrySet().stream()
        .flatMap(reason -> reason.getValue().stream().map(test -> test + ": " + reason.getKey()))
        .toList();
  }

  /**
   * The page of this result. Tests that were skipped for one reason are one line, with their number
   * and classes.
   */
  public String toMarkdown() {
    TextTable table = new TextTable(List.of("suite", "seconds", "share, s"));
    for (SuiteTimes.Row row : suites) {
      if (row.slow() || row.seconds() >= 1) {
        table.add(
            List.of(
                row.suite(),
                "%.0f".formatted(row.seconds()),
                row.shareS() + (row.slow() ? ", SLOW" : "")));
      }
    }
    StringBuilder page = new StringBuilder();
    page.append("# `./sluice test --all`\n\n");
    page.append("Commit %s, %s, in %d s on %s:%n".formatted(commit, date, wallS, machine));
    page.append(
        "%d passed, %d failed, %d skipped.%n%n".formatted(passed, failed.size(), skipped().size()));
    failed.forEach(test -> page.append("- failed: ").append(test).append('\n'));
    TestReports.inShort(skippedByReason)
        .forEach(line -> page.append("- skipped: ").append(line).append('\n'));
    return page.append('\n').append(table.toMarkdown()).toString();
  }
}
