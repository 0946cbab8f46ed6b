package io.sluice.it.lab;

import io.sluice.it.report.TestReports;
import java.util.List;
import java.util.Optional;

/**
 * The result of one suite of the lab, whatever ran in it. Immutable.
 *
 * @param id name of the suite on the command line
 * @param reports its tests, or what counts as such
 * @param problem what went wrong besides tests that failed
 * @param details what people shall know besides: what was injected, what a device counted
 * @param wallMs with the boots of its guests
 * @param passed whether all is well; a suite in which nothing ran has not passed
 */
public record LabResult(
    String id,
    TestReports reports,
    Optional<String> problem,
    List<String> details,
    long wallMs,
    boolean passed) {

  /**
   * Of a suite of tests that ran to its end.
   *
   * @param exitStatus of its guest; not 0 though no test failed if a JVM crashed, a class could not
   *     end what it had begun, or the guest went down
   * @param lastLines of the guest's console
   */
  static LabResult ofTests(
      LabSuite suite, int exitStatus, TestReports reports, long wallMs, String lastLines) {
    boolean noneFailed = reports.failed().isEmpty();
    return new LabResult(
        suite.id(),
        reports,
        exitStatus == 0 || !noneFailed
            ? Optional.empty()
            : Optional.of(
                "no test failed, but the guest ended with status %d; the end of its console:%n%s"
                    .formatted(exitStatus, lastLines)),
        reports.outcomes().stream()
            .flatMap(
                test ->
                    test.published().stream()
                        .map(
                            entry ->
                                test.name().replaceFirst(".*\\.(\\w+\\.)", "$1") + ": " + entry))
            .toList(),
        wallMs,
        exitStatus == 0 && noneFailed && reports.passed() > 0);
  }

  /** Of a suite whose guest broke before it could report; the reason has the end of its console. */
  public static LabResult broken(String id, String reason) {
    TestReports reports = TestReports.ofFailure("lab." + id, reason);
    return new LabResult(id, reports, Optional.empty(), List.of(), 0, false);
  }
}
