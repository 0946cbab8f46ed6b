package io.sluice.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Packages lie in layers: by what the classes of all modules import, none needs itself by way of
 * others.
 */
class PackagesTest {
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  private static final Pattern IMPORT =
      Pattern.compile("(?m)^import (?:static )?(io\\.sluice\\.[\\w.]+)");

  /** By package, by those it imports from, the files that do. */
  private static final class Imports {
    private final Map<String, Map<String, TreeSet<String>>> files = new TreeMap<>();

    static Imports of(Map<String, String> sourcesByFile) {
      Imports imports = new Imports();
      sourcesByFile
          .values()
          .forEach(source -> imports.files.put(packageOf(source), new TreeMap<>()));
      sourcesByFile.forEach(
          (file, source) -> {
            Matcher found = IMPORT.matcher(source);
            while (found.find()) {
              imports.add(packageOf(source), imports.packageOfClass(found.group(1)), file);
            }
          });
      return imports;
    }

    private static String packageOf(String source) {
      Matcher found = PACKAGE.matcher(source);
      assertTrue(found.find(), source);
      return found.group(1);
    }

    /** A class may be in another, and a static import names a member. */
    private String packageOfClass(String imported) {
      String name = imported;
      while (!files.containsKey(name)) {
        assertTrue(name.contains("."), "no package has " + imported);
        name = name.substring(0, name.lastIndexOf('.'));
      }
      return name;
    }

    private void add(String from, String to, String file) {
      if (!from.equals(to)) {
        files.get(from).computeIfAbsent(to, none -> new TreeSet<>()).add(file);
      }
    }

    /** The packages from one to another, both included; empty if it does not need the other. */
    List<String> way(String from, String to) {
      Map<String, String> cameFrom = new HashMap<>(Map.of(from, ""));
      Queue<String> next = new ArrayDeque<>(List.of(from));
      while (!next.isEmpty() && !cameFrom.containsKey(to)) {
        String here = next.remove();
        for (String there : files.getOrDefault(here, Map.of()).keySet()) {
          if (cameFrom.putIfAbsent(there, here) == null) {
            next.add(there);
          }
        }
      }
      List<String> way = new ArrayList<>();
      for (String step = cameFrom.containsKey(to) ? to : "";
          !step.isEmpty();
          step = cameFrom.get(step)) {
        way.add(0, step);
      }
      return way;
    }

    /** A circle in words, with the files that make it, if there is one. */
    Optional<String> circle() {
      for (String from : files.keySet()) {
        for (String to : files.get(from).keySet()) {
          List<String> back = way(to, from);
          if (!back.isEmpty()) {
            StringBuilder words = new StringBuilder(from);
            String here = from;
            for (String there : back) {
              words.append("\n  needs %s (%s)".formatted(there, files.get(here).get(there)));
              here = there;
            }
            return Optional.of(words.toString());
          }
        }
      }
      return Optional.empty();
    }
  }

  @Test
  void noPackageNeedsItself() throws IOException {
    Map<String, String> sources = new TreeMap<>();
    for (Path file : SourceTree.filesBelow("src/main/java")) {
      sources.put(SourceTree.root().relativize(file).toString(), Files.readString(file));
    }
    assertEquals(Optional.empty(), Imports.of(sources).circle());
  }

  @Test
  void theCheckSeesACircleAndNothingElse() {
    Map<String, String> sources = new TreeMap<>();
    sources.put("A", "package io.sluice.a;\nimport io.sluice.b.B.Inner;\nimport java.util.List;\n");
    sources.put("B", "package io.sluice.b;\nimport static io.sluice.b.c.C.*;\n");
    sources.put("C", "package io.sluice.b.c;\n// import io.sluice.a.A;\nclass C {}\n");
    assertEquals(Optional.empty(), Imports.of(sources).circle());
    sources.put("D", "package io.sluice.b.c;\nimport io.sluice.a.A;\n");
    assertEquals(
        Optional.of(
            """
            io.sluice.a
              needs io.sluice.b ([A])
              needs io.sluice.b.c ([B])
              needs io.sluice.a ([D])"""),
        Imports.of(sources).circle());
  }
}
