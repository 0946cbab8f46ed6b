package io.sluice.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What docs/is-it-working.md quotes is what the sources say. */
class IsItWorkingPageTest {
  private static final Path ROOT = Path.of("..");
  private static final String QUOTE = "    ";
  private static final Pattern COUNTER =
      Pattern.compile("`((?:SPILL_BYTES|READ_BYTES|FALLBACK)_\\w+)`");
  private static final Pattern METRIC = Pattern.compile("`(sluice_\\w+)`");

  private static String page;
  private static MainSources sources;

  @BeforeAll
  static void read() throws IOException {
    page = Files.readString(ROOT.resolve("docs/is-it-working.md"));
    sources = MainSources.read(ROOT);
  }

  @Test
  void everyLineIsInTheSources() {
    List<String> lines =
        page.lines().filter(line -> line.startsWith(QUOTE)).map(String::strip).toList();
    assertTrue(lines.size() > 15, lines::toString);
    assertEquals(List.of(), lines.stream().filter(line -> !sources.say(line)).toList());
  }

  @Test
  void aLineThatNobodySaysIsFound() {
    assertEquals(false, sources.say("Sluice serves its pool on … and all is well"));
  }

  @Test
  void everyCounterIsOne() throws IOException {
    String counters =
        Files.readString(
            ROOT.resolve("hadoop-entry/src/main/java/io/sluice/hadoop/SluiceCounter.java"));
    List<String> names = found(COUNTER);
    assertTrue(names.size() > 5, names::toString);
    assertEquals(
        List.of(), names.stream().filter(name -> !counters.contains("  " + name)).toList());
  }

  @Test
  void everyMetricIsInTheTable() throws IOException {
    String table = Files.readString(ROOT.resolve("docs/metrics.md"));
    List<String> names =
        found(METRIC).stream().filter(name -> !name.equals("sluice_shuffle")).toList();
    assertTrue(names.size() > 1, names::toString);
    assertEquals(
        List.of(), names.stream().filter(name -> !table.contains("| `" + name + "`")).toList());
  }

  private static List<String> found(Pattern pattern) {
    return pattern.matcher(page).results().map(result -> result.group(1)).distinct().toList();
  }
}
