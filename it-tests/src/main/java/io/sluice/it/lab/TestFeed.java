package io.sluice.it.lab;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes short lines of what a guest prints: one for each test's end, and what is no test's. */
public final class TestFeed {
  private static final Pattern TEST =
      Pattern.compile("JUnit \\w+ > (.*) :: (STARTED|SUCCESSFUL|ABORTED|FAILED|SKIPPED|REPORTED)");
  private static final Pattern DETAIL = Pattern.compile("\\s+at .*|\\[ +\\d+ .*\\]|\\s*");

  private TestFeed() {}

  /** The line to show for a line of the console; none if it is a detail. */
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
