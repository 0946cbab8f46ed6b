package io.sluice.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sources have each message of the pages on troubleshooting. */
class TroubleshootingPagesTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern FIRST_CELL = Pattern.compile("(?m)^\\| (.*?) \\|");
  private static final Pattern QUOTED = Pattern.compile("`([^`]*)`");

  /** Shorter words are in some file anyway. */
  private static final int TELLING_CHARS = 10;

  private static MainSources sources;

  @BeforeAll
  static void read() throws IOException {
    sources = MainSources.read(ROOT);
  }

  /** The messages of the tables' first column; a constant's name and value are parts of one. */
  private static List<String> messages(String page) throws IOException {
    return FIRST_CELL
        .matcher(Files.readString(ROOT.resolve("docs").resolve(page)))
        .results()
        .map((MatchResult cell) -> quoted(cell.group(1)))
        .filter(message -> !message.isEmpty())
        .toList();
  }

  private static String quoted(String cell) {
    return QUOTED
        .matcher(cell)
        .results()
        .map(span -> span.group(1))
        .collect(Collectors.joining(MainSources.ANYTHING));
  }

  @ParameterizedTest
  @ValueSource(strings = {"troubleshooting.md", "troubleshooting-jobs.md"})
  void everyMessageIsInTheSources(String page) throws IOException {
    List<String> messages = messages(page);
    assertTrue(messages.size() > 20, messages::toString);
    assertEquals(
        List.of(), messages.stream().filter(message -> !sources.say(message)).toList(), page);
  }

  @ParameterizedTest
  @ValueSource(strings = {"troubleshooting.md", "troubleshooting-jobs.md"})
  void everyMessageHasWordsToLookFor(String page) throws IOException {
    assertEquals(
        List.of(),
        messages(page).stream()
            .filter(
                message ->
                    MainSources.fixedParts(message).stream()
                        .noneMatch(part -> part.length() >= TELLING_CHARS))
            .toList());
  }

  @Test
  void aMessageThatNothingSaysIsFound() {
    assertFalse(sources.say("Directory … of the disk tier is left in"));
  }
}
