package io.sluice.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A newcomer finds a class by its simple name, reads it in one go, and walks a path through few:
 * the six walks of the architecture page name nine classes each at most, all of which are there.
 */
class ClassesTest {
  private static final int MOST_LINES = 600;
  private static final int MOST_CLASSES_OF_A_WALK = 9;
  private static final Pattern DECLARED =
      Pattern.compile("(?m)^[ \\w-]*\\b(?:class|interface|record|enum) ([A-Z]\\w*)");
  private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w*)`");

  @Test
  void noClassIsLong() throws IOException {
    List<String> tooLong = new ArrayList<>();
    for (Path file : SourceTree.filesBelow("src/main/java")) {
      int lines = Files.readAllLines(file).size();
      if (lines > MOST_LINES) {
        tooLong.add(file.getFileName() + ": " + lines + " lines");
      }
    }
    assertEquals(List.of(), tooLong);
  }

  @Test
  void noNameOfAClassIsThereTwice() throws IOException {
    Map<String, Path> files = new HashMap<>();
    List<String> twice = new ArrayList<>();
    for (Path file : SourceTree.filesBelow("src/main/java")) {
      String name = file.getFileName().toString();
      Path other = files.put(name, file);
      if (other != null && !name.equals("package-info.java")) {
        twice.add(other + " and " + file);
      }
    }
    assertEquals(List.of(), twice);
    assertTrue(files.size() > 500, () -> "only few classes were found");
  }

  @Test
  void aWalkNamesNineClassesAtMostAndAllAreThere() throws IOException {
    Set<String> declared = new HashSet<>();
    for (Path file : SourceTree.filesBelow("src/main/java")) {
      Matcher names = DECLARED.matcher(Files.readString(file));
      while (names.find()) {
        declared.add(names.group(1));
      }
    }
    String page = Files.readString(SourceTree.root().resolve("docs/internals/architecture.md"));
    int from = page.indexOf("## Six walks");
    List<String> walks =
        page.substring(from, page.indexOf("\n## ", from + 1))
            .lines()
            .filter(line -> line.startsWith("| ") && NAMED.matcher(line).find())
            .toList();
    assertEquals(6, walks.size());
    for (String walk : walks) {
      List<List<String>> parts = Arrays.stream(walk.split(";")).map(ClassesTest::named).toList();
      parts.forEach(part -> assertEquals(List.of(), without(part, declared), walk));
      int longest =
          parts.get(0).size() + parts.stream().skip(1).mapToInt(List::size).max().orElse(0);
      assertTrue(longest <= MOST_CLASSES_OF_A_WALK, () -> longest + " classes: " + walk);
    }
  }

  private static List<String> named(String part) {
    return NAMED.matcher(part).results().map(found -> found.group(1)).toList();
  }

  private static List<String> without(List<String> names, Set<String> known) {
    return names.stream().filter(name -> !known.contains(name)).toList();
  }
}
