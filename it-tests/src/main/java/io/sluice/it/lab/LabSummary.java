package io.sluice.it.lab;

import io.sluice.it.report.Console;
import io.sluice.it.report.TestReports;
import io.sluice.tools.text.TextTable;
import java.util.List;

/**
 * What came of some suites, for people and for a count.
 *
 * @param results one for each suite that ran
 */
public record LabSummary(List<LabResult> results) {

  /** Prints what was injected and counted, and a table of the suites. */
  public void print(Console console) {
    console.say("");
    for (LabResult result : results) {
      result.details().forEach(detail -> console.say("  %s: %s".formatted(result.id(), detail)));
    }
    for (LabResult result : results) {
      result.problem().ifPresent(why -> console.say("FAILED:  " + result.id() + ": " + why));
    }
    console.say("");
    console.say(table().toText());
  }

  /** Fails with any suite; a lab in which nothing ran has not passed. */
  public boolean passed() {
    return !results.isEmpty() && results.stream().allMatch(LabResult::passed);
  }

  /** All tests of all suites. */
  public TestReports reports() {
    return results.stream()
        .map(LabResult::reports)
        .reduce(new TestReports(List.of()), TestReports::with);
  }

  private TextTable table() {
    TextTable table =
        new TextTable(List.of("suite", "passed", "failed", "skipped", "seconds", "result"));
    for (LabResult result : results) {
      table.add(
          List.of(
              result.id(),
              Integer.toString(result.reports().passed()),
              Integer.toString(result.reports().failed().size()),
              Integer.toString(result.reports().skipped().size()),
              "%.0f".formatted(result.wallMs() / 1e3),
              result.passed() ? "passed" : "FAILED"));
    }
    return table;
  }
}
