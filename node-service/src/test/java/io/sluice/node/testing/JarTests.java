package io.sluice.node.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A jar that people copy, or that Maven installs: what is in it, and above all what is not. Each
 * module below {@code jars} subclasses it; the build's POM there says by system properties where
 * the jar lies.
 */
public abstract class JarTests {
  private static final Pattern DEPENDENCY =
      Pattern.compile("<dependency>.*?</dependency>", Pattern.DOTALL);

  private static final Pattern OF_TESTS = Pattern.compile("<scope>test</scope>");

  private final Pattern allowed;
  private final List<String> entryPoints;
  private final List<String> boundByName;
  private List<String> entries;

  /**
   * For a jar that is to hold this.
   *
   * @param allowed patterns of all that may be in it beside {@code META-INF}
   * @param entryPoints classes that configurations and command lines name
   * @param boundByName entries that native code, or that which loads it, looks for by their names
   */
  protected JarTests(List<String> allowed, List<String> entryPoints, List<String> boundByName) {
    this.allowed = Pattern.compile("META-INF/.*|" + String.join("|", allowed));
    this.entryPoints = entryPoints;
    this.boundByName = boundByName;
  }

  @BeforeEach
  final void list() throws IOException {
    try (JarFile jar = new JarFile(System.getProperty("sluice.jar"))) {
      entries = jar.stream().map(ZipEntry::getName).toList();
    }
  }

  @Test
  final void holdsNothingUnexpected() {
    assertEquals(
        List.of(),
        entries.stream()
            .filter(name -> !name.endsWith("/") && !allowed.matcher(name).matches())
            .toList());
  }

  @Test
  final void holdsNothingTwice() {
    assertEquals(entries.stream().distinct().count(), entries.size());
  }

  @Test
  final void holdsWhatConfigurationsName() {
    assertEquals(
        List.of(),
        entryPoints.stream()
            .filter(name -> !entries.contains(name.replace('.', '/') + ".class"))
            .toList(),
        "missing");
  }

  @Test
  final void holdsWhatIsBoundToNativeCodeByName() {
    assertEquals(
        List.of(),
        boundByName.stream().filter(name -> !entries.contains(name)).toList(),
        "missing");
  }

  /** It would come a second time, from another jar, wherever Maven resolves this one. */
  @Test
  final void itsPomAsksForNothingMore() throws IOException {
    String pom = Files.readString(Path.of(System.getProperty("sluice.jar.pom")));
    assertTrue(pom.contains("<artifactId>sluice-"), pom);
    assertEquals(
        List.of(),
        DEPENDENCY
            .matcher(pom)
            .results()
            .map(dependency -> dependency.group())
            .filter(dependency -> !OF_TESTS.matcher(dependency).find())
            .toList());
  }
}
