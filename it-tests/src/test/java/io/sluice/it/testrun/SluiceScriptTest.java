package io.sluice.it.testrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sluice.it.cluster.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The launcher builds and fetches before there is a JVM whose deadline ends what hangs. */
class SluiceScriptTest {
  /** The program; messages of the scripts do without the word. */
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

  private static List<Path> scripts() throws IOException {
    Path root = Workspace.find().root();
    try (Stream<Path> setup = Files.list(root.resolve("setup"))) {
      return Stream.concat(
              Stream.of(root.resolve("sluice")),
              setup.filter(file -> file.toString().endsWith(".sh")).sorted())
          .toList();
    }
  }

  /** Lines of code with more of the first than of the second. */
  private static List<String> linesWith(Pattern some, Pattern wanted) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Path script : scripts()) {
      Files.readAllLines(script).stream()
          .filter(line -> !line.startsWith("#") && some.matcher(line).find())
          .forEach(lines::add);
    }
    assertFalse(lines.isEmpty(), "no line of the scripts has " + some);
    return lines.stream()
        .filter(
            line -> some.matcher(line).results().count() > wanted.matcher(line).results().count())
        .toList();
  }
}
