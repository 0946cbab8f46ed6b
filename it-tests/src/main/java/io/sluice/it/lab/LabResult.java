package io.sluice.it.lab;

import io.sluice.it.report.TestReports;
import java.util.List;
import java.util.Optional;

/** What came of one suite of the lab, whatever ran in it. */
public interface LabResult {
  /** Name of the suite on the command line. */
  String id();

  /** Its tests, or what counts as such. */
  TestReports reports();

  /** What people shall know besides: what was injected, what a device counted. */
  List<String> details();

  /** With the boots of its guests. */
  long wallMs();

  /** What went wrong besides tests that failed. */
  default Optional<String> problem() {
    return Optional.empty();
  }

  /** Whether all is well; a suite in which nothing ran has not passed. */
  boolean passed();
}
