package io.sluice.it.testrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sluice.it.cluster.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The script builds and fetches before there is a JVM whose deadline ends what hangs. */
class SluiceScriptTest {
  /** The program; messages of the script do without the word. */
  private static final Pattern TIMEOUT = Pattern.compile("\\btimeout ");

  private static final Pattern ENDS = Pattern.compile("\\btimeout (--foreground )?-k 30s ");
  private static final Pattern LOCK = Pattern.compile("\\bflock ");
  private static final Pattern LOCKS_IN_TIME = Pattern.compile("\\bflock -w ");

  @Test
  void whatHasADeadlineIsKilledIfItDoesNotEndThen() throws IOException {
    assertEquals(List.of(), linesWith(TIMEOUT, ENDS));
  }

  @Test
  void nobodyWaitsForALockForEver() throws IOException {
    assertEquals(List.of(), linesWith(LOCK, LOCKS_IN_TIME));
  }

  /** Lines of code with more of the first than of the second. */
  private static List<String> linesWith(Pattern some, Pattern wanted) throws IOException {
    List<String> lines =
        Files.readAllLines(Workspace.find().root().resolve("sluice")).stream()
            .filter(line -> !line.startsWith("#") && some.matcher(line).find())
            .toList();
    assertFalse(lines.isEmpty(), "no line of the script has " + some);
    return lines.stream()
        .filter(
            line -> some.matcher(line).results().count() > wanted.matcher(line).results().count())
        .toList();
  }
}
