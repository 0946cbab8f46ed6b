package io.sluice.it.lab.plugs;

import io.sluice.it.lab.LabResult;
import io.sluice.it.report.TestReports;
import io.sluice.it.report.TestReports.TestOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What came of pulling plugs.
 *
 * @param seed of all that was drawn
 * @param plannedKills asked for
 * @param kills after each of which the pool was verified
 * @param killsByStep how many at each moment
 * @param acknowledged outputs that had to be there, summed over the verifications
 * @param verified those that were, every byte
 * @param lostBytes summed over the verifications
 * @param failures each with how to repeat it
 * @param wallMs with all boots
 */
public record PlugsResult(
    long seed,
    int plannedKills,
    int kills,
    Map<String, Integer> killsByStep,
    int acknowledged,
    int verified,
    long lostBytes,
    List<String> failures,
    long wallMs)
    implements LabResult {
  /** Its suite's name on the command line. */
  public static final String ID = "plugs";

  @Override
  public String id() {
    return ID;
  }

  @Override
  public TestReports reports() {
    List<TestOutcome> outcomes = new ArrayList<>();
    int passed = failures.isEmpty() ? kills : kills - 1;
    for (int i = 1; i <= passed; i++) {
      outcomes.add(outcome(i, TestOutcome.State.PASSED, ""));
    }
    failures.forEach(
        failure -> outcomes.add(outcome(passed + 1, TestOutcome.State.FAILED, failure)));
    return new TestReports(outcomes);
  }

  private static TestOutcome outcome(int kill, TestOutcome.State state, String reason) {
    return TestOutcome.of("lab.plugs.kill-" + kill, state, reason);
  }

  @Override
  public List<String> details() {
    return List.of(
        "%d kills, %s; %d acknowledged outputs had to be there and %d were, byte for byte; %d bytes lost; seed %d"
            .formatted(kills, killsByStep, acknowledged, verified, lostBytes, seed));
  }

  @Override
  public boolean passed() {
    return failures.isEmpty() && kills == plannedKills && verified > 0;
  }
}
