package io.sluice.it.testrun;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The classes of unit tests that {@code ./sluice test --quick} leaves out, found in their sources:
 * those with the tag, and their subclasses, which inherit it.
 *
 * <p>Failure: {@link UncheckedIOException} if a source cannot be read.
 */
final class SlowTests {
  /** The tag of a class of unit tests that waits much or computes much. */
  static final String TAG = "slow";

  private static final Path TESTS = Path.of("src/test/java");
  private static final Pattern TAGGED = Pattern.compile("(?m)^@Tag\\(\"" + TAG + "\"\\)$");
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  private static final Pattern CLASS =
      Pattern.compile(
          "(?m)^(?:public |final )*(abstract )?class (\\w+)(?:<.*>)?\\s+(?:extends (\\w+))?");

  private final Map<String, Source> sources = new TreeMap<>();

  private record Source(boolean isTagged, boolean isAbstract, Optional<String> superclass) {}

  private SlowTests() {}

  /** Whole names of the classes, of all modules of a checkout. */
  static List<String> in(Path root) {
    SlowTests tests = new SlowTests();
    try {
      Files.walkFileTree(
          root,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes of) {
              String name = directory.getFileName().toString();
              boolean hasNone =
                  name.equals("target") || name.startsWith(".") || name.equals("main");
              return hasNone && !directory.equals(root)
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes of) throws IOException {
              if (file.toString().endsWith(".java")
                  && root.relativize(file).toString().contains(TESTS + "/")) {
                tests.add(Files.readString(file));
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException("cannot look for slow tests below " + root, e);
    }
    return tests.sources.entrySet().stream()
        .filter(source -> !source.getValue().isAbstract && tests.isSlow(source.getKey()))
        .map(Map.Entry::getKey)
        .toList();
  }

  private void add(String source) {
    Matcher declared = CLASS.matcher(source);
    Matcher named = PACKAGE.matcher(source);
    if (declared.find() && named.find()) {
      String inPackage = named.group(1) + ".";
      sources.put(
          inPackage + declared.group(2),
          new Source(
              TAGGED.matcher(source).find(),
              declared.group(1) != null,
              Optional.ofNullable(declared.group(3))
                  .map(name -> imported(source, name).orElse(inPackage + name))));
    }
  }

  private static Optional<String> imported(String source, String name) {
    Matcher found = Pattern.compile("(?m)^import ([\\w.]+\\." + name + ");").matcher(source);
    return found.find() ? Optional.of(found.group(1)) : Optional.empty();
  }

  private boolean isSlow(String name) {
    Source source = sources.get(name);
    return source != null
        && (source.isTagged || source.superclass.filter(this::isSlow).isPresent());
  }
}
