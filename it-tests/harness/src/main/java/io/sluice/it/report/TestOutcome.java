package io.sluice.it.report;

import java.util.List;

/**
 * How one test ended.
 *
 * @param suite the class that it is of, or what stands for one
 * @param name class and method, the same whichever runner reports it
 * @param state how
 * @param reason why it failed or was skipped; empty if it passed
 * @param published what the test wanted people to know, as {@code key: value}
 * @param wallMs how long it took; 0 if nobody measured
 */
public record TestOutcome(
    String suite, String name, State state, String reason, List<String> published, long wallMs) {
  /** The order is the one in which outcomes of the same test on two machines win. */
  public enum State {
    /** It did not pass, or threw. */
    FAILED,
    /** It ran to its end. */
    PASSED,
    /** It could not run there. */
    SKIPPED
  }

  /** What is no test of a class, and says nothing but how it ended. */
  public static TestOutcome of(String name, State state, String reason) {
    return new TestOutcome(name, name, state, reason, List.of(), 0);
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
