package io.sluice.it.testrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sluice.it.cluster.Workspace;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the page on security says is shown by a test has that test. */
class SecurityPageTest {
  private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*(?:Test|IT))`");
  private static final Set<String> NOT_SOURCES = Set.of("target", ".git");

  private final Path root = Workspace.find().root();

  @Test
  void everyTestThatThePageNamesIsThere() throws IOException {
    Set<String> named = new TreeSet<>();
    Matcher names = TEST.matcher(Files.readString(root.resolve("docs/security.md")));
    while (names.find()) {
      named.add(names.group(1));
    }
    assertFalse(named.isEmpty(), "the page names no test");
    named.removeAll(tests());
    assertEquals(Set.of(), named, "named, and not there");
  }

  private Set<String> tests() throws IOException {
    Set<String> found = new TreeSet<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            return NOT_SOURCES.contains(directory.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            found.add(file.getFileName().toString().replaceFirst("\\.java$", ""));
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }
}
