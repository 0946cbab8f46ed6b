package io.sluice.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Files lie in layers too: by the classes that their code names, imported or of their own package,
 * none needs itself by way of others. What only comments and texts name does not count.
 */
class FilesTest {
  private static final Pattern IMPORT =
      Pattern.compile(
          "(?m)^import (?<static>static )?(?<from>io\\.sluice\\.(?:\\w+\\.)*)(?<name>\\w+)(?:\\.\\*)?;");
  private static final Pattern NO_CODE =
      Pattern.compile(
          "/\\*(?s:.*?)\\*/|//.*|\"\"\"(?s:.*?)\"\"\"|\"(?:\\\\.|[^\"\\\\])*\""
              + "|'(?:\\\\.|[^'\\\\])*'|(?m:^(?:package|import) .*)");
  private static final Pattern CLASS = Pattern.compile("\\b[A-Z]\\w*");

  /** By names of classes with their packages. */
  private static Optional<String> circle(Map<String, String> sources) {
    Needs needs = new Needs();
    sources.forEach(
        (from, source) -> {
          String code = NO_CODE.matcher(source).replaceAll("");
          Set<String> names =
              CLASS.matcher(code).results().map(MatchResult::group).collect(Collectors.toSet());
          Matcher imported = IMPORT.matcher(source);
          Set<String> importedNames = new HashSet<>();
          while (imported.find()) {
            String name = imported.group("name");
            importedNames.add(name);
            if (imported.group("static") != null || names.contains(name)) {
              needs.add(from, file(imported.group("from") + name, sources.keySet()), name);
            }
          }
          String ownPackage = from.substring(0, from.lastIndexOf('.') + 1);
          for (String name : names) {
            if (!importedNames.contains(name) && sources.containsKey(ownPackage + name)) {
              needs.add(from, ownPackage + name, name);
            }
          }
        });
    return needs.circle();
  }

  /** The class whose file this is in: itself, or that around it or its member. */
  private static String file(String imported, Set<String> classes) {
    String name = imported;
    while (!classes.contains(name)) {
      assertTrue(name.contains("."), "no file has " + imported);
      name = name.substring(0, name.lastIndexOf('.'));
    }
    return name;
  }

  @Test
  void noFileNeedsItself() throws IOException {
    Map<String, String> sources = new TreeMap<>();
    for (Path file : SourceTree.filesBelow("src/main/java")) {
      String path = file.toString();
      String name = path.substring(path.lastIndexOf("src/main/java/") + 14, path.length() - 5);
      if (!name.endsWith("-info")) {
        sources.put(name.replace('/', '.'), Files.readString(file));
      }
    }
    assertEquals(Optional.empty(), circle(sources));
  }

  @Test
  void theCheckSeesACircleAndNothingElse() {
    Map<String, String> sources = new TreeMap<>();
    sources.put("io.sluice.a.A", "import io.sluice.b.B.Inner;\nclass A { Inner inner; }\n");
    sources.put("io.sluice.b.B", "class B { class Inner {} /* A's. */ C c; }\n");
    sources.put(
        "io.sluice.b.C",
        "import io.sluice.a.A;\n/** Of {@link A}. */ class C { String s = \"A\"; }  // B\n");
    assertEquals(Optional.empty(), circle(sources));
    sources.put("io.sluice.b.C", "import static io.sluice.a.A.*;\nclass C {}\n");
    assertEquals(
        Optional.of(
            """
            io.sluice.a.A
              needs io.sluice.b.B ([Inner])
              needs io.sluice.b.C ([C])
              needs io.sluice.a.A ([A])"""),
        circle(sources));
  }
}
