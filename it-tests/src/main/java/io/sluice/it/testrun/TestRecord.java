package io.sluice.it.testrun;

import io.sluice.it.report.Machine;
import io.sluice.it.report.TestReports;
import io.sluice.tools.text.TextTable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * The result of a whole test run, as it lies in the repository.
 *
 * @param commit that was tested, with {@code -dirty} if the files were not the commit's
 * @param date at the end of the run
 * @param machine that it ran on
 * @param wallS with the build
 * @param passed number of tests
 * @param failed the names of tests, with reasons
 * @param skipped the names of tests, with reasons
 * @param suites slowest first
 */
public record TestRecord(
    String commit,
    String date,
    Machine machine,
    long wallS,
    int passed,
    List<String> failed,
    List<String> skipped,
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
        reports.skipped().stream().map(Object::toString).toList(),
        summary.times().rows());
  }

  /** A page with all that people want to see. */
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
        "%d passed, %d failed, %d skipped.%n%n".formatted(passed, failed.size(), skipped.size()));
    failed.forEach(test -> page.append("- failed: ").append(test).append('\n'));
    skipped.forEach(test -> page.append("- skipped: ").append(test).append('\n'));
    return page.append('\n').append(table.toMarkdown()).toString();
  }
}
