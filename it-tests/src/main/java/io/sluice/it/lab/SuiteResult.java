package io.sluice.it.lab;

import io.sluice.it.report.TestReports;
import java.util.List;

/**
 * What came of a suite.
 *
 * @param suite which one
 * @param exitStatus of its guest
 * @param reports what its tests reported
 * @param wallMs with the boot
 */
public record SuiteResult(LabSuite suite, int exitStatus, TestReports reports, long wallMs)
    implements LabResult {
  @Override
  public String id() {
    return suite.id();
  }

  @Override
  public List<String> details() {
    return reports.outcomes().stream()
        .flatMap(
            test ->
                test.published().stream()
                    .map(entry -> test.name().replaceFirst(".*\\.(\\w+\\.)", "$1") + ": " + entry))
        .toList();
  }

  @Override
  public boolean passed() {
    return exitStatus == 0 && reports.failed().isEmpty() && reports.passed() > 0;
  }
}
