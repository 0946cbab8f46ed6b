package io.sluice.it.report;

import java.util.List;

/**
 * How one test ended.
 *
 * @param name class and method, the same whichever runner reports it
 * @param state how
 * @param reason why it failed or was skipped; empty if it passed
 * @param published what the test wanted people to know, as {@code key: value}
 */
public record TestOutcome(String name, State state, String reason, List<String> published) {
  /** The order is the one in which outcomes of the same test on two machines win. */
  public enum State {
    /** It did not pass, or threw. */
    FAILED,
    /** It ran to its end. */
    PASSED,
    /** It could not run there. */
    SKIPPED
  }

  /**
   * JUnit's runners differ in whether they write parameters: {@code name()} or {@code name}.
   * Spark's tests have sentences for names, with what they like in parentheses.
   */
  static String name(String className, String methodName) {
    return className + "." + methodName.replaceFirst("^(\\w+)\\([^)]*\\)", "$1");
  }

  /** The better one; of two alike the later, which is of the guest, where more can run. */
  TestOutcome orBetter(TestOutcome later) {
    return later.state.compareTo(state) <= 0 ? later : this;
  }

  @Override
  public String toString() {
    return name + ": " + reason;
  }
}
