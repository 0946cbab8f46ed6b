package io.sluice.local.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** Each setting of Hadoop has a row that says what becomes of it, and the row is true. */
class HadoopSettingsTest {
  private static final Path TABLE = Path.of("src", "test", "resources", "hadoop-settings.tsv");
  private static final Path PAGE = Path.of("..", "docs", "local-hadoop-settings.md");
  private static final String REGENERATE = "sluice.regenerate";
  private static final String COMMAND =
      "mvn -pl local-engine -am test -Dtest=HadoopSettingsTest"
          + " -Dsurefire.failIfNoSpecifiedTests=false -Dsluice.regenerate=true";
  private static final Pattern NAME = Pattern.compile("<name>\\s*(\\S+)\\s*</name>");
  private static final String HONOURED = "honoured";
  private static final String REFUSED = "refused";

  /** A setting, what becomes of it, and what shows that. */
  private record Row(String name, String verdict, String reason) {
    static Row of(String line) {
      String[] columns = line.split("\t");
      assertEquals(3, columns.length, line);
      return new Row(columns[0], columns[1], columns[2]);
    }
  }

  private static List<Row> rows() throws IOException {
    return Files.readAllLines(TABLE).stream()
        .filter(line -> !line.startsWith("#"))
        .map(Row::of)
        .toList();
  }

  private static Set<String> names(Stream<Row> rows) {
    return rows.map(Row::name).collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void everySettingOfThisReleaseHasOneRow() throws IOException {
    Set<String> missing = new TreeSet<>();
    try (InputStream in = Configuration.class.getResourceAsStream("/mapred-default.xml")) {
      Matcher names = NAME.matcher(new String(in.readAllBytes(), StandardCharsets.UTF_8));
      while (names.find()) {
        missing.add(names.group(1));
      }
    }
    assertTrue(missing.size() > 200, "settings of Hadoop: " + missing.size());
    missing.removeAll(names(rows().stream()));
    assertEquals(Set.of(), missing);
    assertEquals(rows().size(), names(rows().stream()).size(), "names");
  }

  @Test
  void whatIsRefusedIsWhatTheTableSays() throws IOException {
    assertEquals(
        JobChecks.refused().collect(Collectors.toCollection(TreeSet::new)),
        names(rows().stream().filter(row -> row.verdict().equals(REFUSED))));
  }

  private static void addTests(Path sources, Set<String> tests) throws IOException {
    if (Files.isDirectory(sources)) {
      try (Stream<Path> files = Files.walk(sources)) {
        files
            .map(file -> file.getFileName().toString())
            .filter(name -> name.endsWith("Test.java") || name.endsWith("IT.java"))
            .forEach(name -> tests.add(name.substring(0, name.indexOf('.'))));
      }
    }
  }

  /** Wherever its tests are, or in Hadoop. */
  @Test
  void whatIsHonouredIsShownByATestOrReadByStock() throws Exception {
    Set<String> tests = new TreeSet<>();
    try (DirectoryStream<Path> modules = Files.newDirectoryStream(Path.of(".."))) {
      for (Path module : modules) { // their sources alone: clusters make files beside them
        addTests(module.resolve("src/test/java"), tests);
      }
    }
    for (Row row : rows()) {
      if (row.verdict().equals(HONOURED)) {
        String[] shown = row.reason().split(" ");
        assertEquals(2, shown.length, row.toString());
        if (shown[0].equals("stock")) {
          Class.forName(shown[1], false, getClass().getClassLoader());
        } else {
          assertTrue(shown[0].equals("test") && tests.contains(shown[1]), row.toString());
        }
      } else {
        assertTrue(
            row.verdict().equals(REFUSED) || row.verdict().equals("no effect"), row.toString());
      }
    }
  }

  @Test
  void committedPageIsWhatTheTableSays() throws IOException {
    StringBuilder text = new StringBuilder();
    text.append("# Hadoop's settings in the client's process\n\n")
        .append("<!-- Generated from hadoop-settings.tsv; do not edit. Regenerate:\n     ")
        .append(COMMAND)
        .append(" -->\n\n")
        .append("This page lists each setting of Hadoop's `mapred-default.xml` (3.3 to 3.5),")
        .append(" and others of jobs.\nIt says what becomes of them when a job runs")
        .append(" [in its client's process](local-jobs.md).\n\n")
        .append(
            "- *Honoured*: it works as on a cluster. The last column names the test that shows it,")
        .append("\n  or the class of stock Hadoop that reads it.\n")
        .append("- *No effect*: a job may set it, and nothing changes. The last column says why.\n")
        .append("- *Refused*: the job ends at its submission with an error that names the setting.")
        .append("\n  The last column says when. A number out of range also ends the job.\n\n")
        .append("| name | here | shown by, or why |\n|---|---|---|\n");
    for (Row row : rows()) {
      String reason =
          row.verdict().equals(HONOURED)
              ? "`" + row.reason().substring(row.reason().indexOf(' ') + 1) + "`"
              : row.reason();
      text.append("| `%s` | %s | %s |\n".formatted(row.name(), row.verdict(), reason));
    }
    if (Boolean.getBoolean(REGENERATE)) {
      Files.writeString(PAGE, text, StandardCharsets.UTF_8);
    }
    assertEquals(
        text.toString(),
        Files.readString(PAGE),
        () -> PAGE + " is out of date; regenerate it: " + COMMAND);
  }
}
