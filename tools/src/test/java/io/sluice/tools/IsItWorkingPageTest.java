package io.sluice.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What docs/is-it-working.md quotes is what the sources say. */
class IsItWorkingPageTest {
  private static final Path ROOT = Path.of("..");
  private static final String QUOTE = "    ";
  private static final String ANYTHING = "…";
  private static final Pattern COUNTER =
      Pattern.compile("`((?:SPILL_BYTES|READ_BYTES|FALLBACK)_\\w+)`");
  private static final Pattern METRIC = Pattern.compile("`(sluice_\\w+)`");

  private static String page;
  private static List<String> sources;

  @BeforeAll
  static void read() throws IOException {
    page = Files.readString(ROOT.resolve("docs/is-it-working.md"));
    sources = new ArrayList<>();
    List<Path> modules;
    try (Stream<Path> children = Files.list(ROOT)) {
      modules =
          children.map(child -> child.resolve("src/main/java")).filter(Files::isDirectory).toList();
    }
    for (Path module : modules) {
      try (Stream<Path> files = Files.walk(module)) {
        for (Path file : files.filter(file -> file.toString().endsWith(".java")).toList()) {
          sources.add(withWholeStrings(Files.readString(file)));
        }
      }
    }
  }

  /** Strings that are put together of literals are one, and what is filled in is one sign. */
  private static String withWholeStrings(String source) {
    return source.replaceAll("\"\\s*\\+\\s*\"", "").replaceAll("\\{\\}|%s|%n", ANYTHING);
  }

  /** The pieces of a line between what differs, all in one file. */
  private static boolean isSaid(String line) {
    List<String> pieces =
        Arrays.stream(line.split(ANYTHING))
            .map(piece -> piece.replaceAll("^[\\s:;,(]+|[\\s:;,(]+$", ""))
            .filter(piece -> piece.length() > 2)
            .toList();
    return sources.stream().anyMatch(source -> pieces.stream().allMatch(source::contains));
  }

  @Test
  void everyLineIsInTheSources() {
    List<String> lines =
        page.lines().filter(line -> line.startsWith(QUOTE)).map(String::strip).toList();
    assertTrue(lines.size() > 15, lines::toString);
    assertEquals(List.of(), lines.stream().filter(line -> !isSaid(line)).toList());
  }

  @Test
  void aLineThatNobodySaysIsFound() {
    assertEquals(false, isSaid("Sluice serves its pool on … and all is well"));
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
