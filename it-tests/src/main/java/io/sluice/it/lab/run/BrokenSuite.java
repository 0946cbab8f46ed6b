package io.sluice.it.lab.run;

import io.sluice.it.lab.LabResult;
import io.sluice.it.report.TestReports;
import java.util.List;

/**
 * A suite whose guest broke before it could report.
 *
 * @param id of the suite
 * @param reason with the end of the guest's console
 */
record BrokenSuite(String id, String reason) implements LabResult {
  @Override
  public TestReports reports() {
    return TestReports.ofFailure("lab." + id, reason);
  }

  @Override
  public List<String> details() {
    return List.of();
  }

  @Override
  public long wallMs() {
    return 0;
  }

  @Override
  public boolean passed() {
    return false;
  }
}
