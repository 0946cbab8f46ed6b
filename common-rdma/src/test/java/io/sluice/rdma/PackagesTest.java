package io.sluice.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Packages lie in layers: by what the classes of all modules import, none needs itself by way of
 * others.
 */
class PackagesTest {
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  private static final Pattern IMPORT =
      Pattern.compile("(?m)^import (?:static )?(io\\.sluice\\.[\\w.]+)");

  private static Optional<String> circle(Map<String, String> sourcesByFile) {
    Set<String> packages =
        sourcesByFile.values().stream().map(PackagesTest::packageOf).collect(Collectors.toSet());
    Needs needs = new Needs();
    sourcesByFile.forEach(
        (file, source) -> {
          Matcher found = IMPORT.matcher(source);
          while (found.find()) {
            needs.add(packageOf(source), packageOfClass(found.group(1), packages), file);
          }
        });
    return needs.circle();
  }

  private static String packageOf(String source) {
    Matcher found = PACKAGE.matcher(source);
    assertTrue(found.find(), source);
    return found.group(1);
  }

  /** A class may be in another, and a static import names a member. */
  private static String packageOfClass(String imported, Set<String> packages) {
    String name = imported;
    while (!packages.contains(name)) {
      assertTrue(name.contains("."), "no package has " + imported);
      name = name.substring(0, name.lastIndexOf('.'));
    }
    return name;
  }

  @Test
  void noPackageNeedsItself() throws IOException {
    Map<String, String> sources = new TreeMap<>();
    for (Path file : SourceTree.filesBelow("src/main/java")) {
      sources.put(SourceTree.root().relativize(file).toString(), Files.readString(file));
    }
    assertEquals(Optional.empty(), circle(sources));
  }

  @Test
  void theCheckSeesACircleAndNothingElse() {
    Map<String, String> sources = new TreeMap<>();
    sources.put("A", "package io.sluice.a;\nimport io.sluice.b.B.Inner;\nimport java.util.List;\n");
    sources.put("B", "package io.sluice.b;\nimport static io.sluice.b.c.C.*;\n");
    sources.put("C", "package io.sluice.b.c;\n// import io.sluice.a.A;\nclass C {}\n");
    assertEquals(Optional.empty(), circle(sources));
    sources.put("D", "package io.sluice.b.c;\nimport io.sluice.a.A;\n");
    assertEquals(
        Optional.of(
            """
            io.sluice.a
              needs io.sluice.b ([A])
              needs io.sluice.b.c ([B])
              needs io.sluice.a ([D])"""),
        circle(sources));
  }
}
