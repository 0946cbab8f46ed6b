package io.sluice.it.lab;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A JVM that runs tests, here or in a guest: the seed that it is handed, and the lines to show of
 * what JUnit's launcher prints in it. Stateless.
 */
public final class TestJvm {
  private static final String SEED = "sluice.test.seed";
  private static final Pattern TEST =
      Pattern.compile("JUnit \\w+ > (.*) :: (STARTED|SUCCESSFUL|ABORTED|FAILED|SKIPPED|REPORTED)");
  private static final Pattern DETAIL = Pattern.compile("\\s+at .*|\\[ +\\d+ .*\\]|\\s*");

  private TestJvm() {}

  /** Hands on the seed of all randomized tests, to a JVM or Maven; empty if none was given here. */
  public static Optional<String> seedArgument() {
    return Optional.ofNullable(Long.getLong(SEED)).map(seed -> "-D" + SEED + "=" + seed);
  }

  /** The line to show for a line of the console: a test's end, or what is no test's detail. */
  static Optional<String> show(String line) {
    if (TEST.matcher(line).matches()) {
      return showTest(line);
    }
    return DETAIL.matcher(line).matches() ? Optional.empty() : Optional.of("  | " + line);
  }

  /** The line to show for a test's end; none for anything else. */
  public static Optional<String> showTest(String line) {
    Matcher test = TEST.matcher(line);
    if (!test.matches()) {
      return Optional.empty();
    }
    String name = test.group(1).replace("()", "").replace(" > ", ".");
    return switch (test.group(2)) {
      case "SUCCESSFUL" -> Optional.of("  ok       " + name);
      case "ABORTED", "SKIPPED" -> Optional.of("  skipped  " + name);
      case "FAILED" -> Optional.of("  FAILED   " + name);
      default -> Optional.empty();
    };
  }
}
