package io.sluice.it.lab;

import io.sluice.it.report.TestReports;
import java.util.List;
import java.util.Optional;

/**
 * What came of a suite.
 *
 * @param suite which one
 * @param exitStatus of its guest
 * @param reports what its tests reported
 * @param wallMs with the boot
 * @param lastLines of the guest's console
 */
public record LabSuiteResult(
    LabSuite suite, int exitStatus, TestReports reports, long wallMs, String lastLines)
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

  /** A JVM that crashed, a class that could not end what it had begun, a guest that went down. */
  @Override
  public Optional<String> problem() {
    return exitStatus == 0 || !reports.failed().isEmpty()
        ? Optional.empty()
        : Optional.of(
            "no test failed, but the guest ended with status %d; the end of its console:%n%s"
                .formatted(exitStatus, lastLines));
  }

  @Override
  public boolean passed() {
    return exitStatus == 0 && reports.failed().isEmpty() && reports.passed() > 0;
  }
}
