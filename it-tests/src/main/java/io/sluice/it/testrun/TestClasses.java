package io.sluice.it.testrun;

import io.sluice.it.cluster.Workspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The integration tests that the build has compiled, by the simple names of their classes. */
final class TestClasses {
  private static final String SUFFIX = "IT.class";

  private TestClasses() {}

  /** The whole name of each. */
  static Map<String, String> ofIntegrationTests(Workspace workspace) {
    Path classes = workspace.root().resolve("it-tests/target/test-classes");
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> files = Files.walk(classes)) {
      files
          .filter(file -> file.getFileName().toString().endsWith(SUFFIX))
          .map(file -> classes.relativize(file).toString().replace(".class", "").replace('/', '.'))
          .forEach(name -> found.put(name.substring(name.lastIndexOf('.') + 1), name));
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot look for tests in " + classes, e);
    }
  }
}
