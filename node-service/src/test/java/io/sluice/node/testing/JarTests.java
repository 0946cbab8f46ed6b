package io.sluice.node.testing;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A jar that people copy, or that Maven installs: what is in it, and above all what is not. Each
 * module below {@code jars} subclasses it; the build's POM there says by system properties where
 * the jar lies.
 */
public abstract class JarTests {
  private static final Pattern META =
      Pattern.compile("META-INF/(MANIFEST\\.MF|LICENSE|NOTICE|(licenses|services)/[^/]*)");

  private static final Pattern DEPENDENCY =
      Pattern.compile("<dependency>.*?</dependency>", Pattern.DOTALL);

  private static final Pattern OF_TESTS = Pattern.compile("<scope>test</scope>");

  private final Pattern ours;
  private final Set<Bundled> bundled;
  private final List<String> entryPoints;
  private JarFile jar;
  private List<String> entries;

  /**
   * For a jar that is to hold this.
   *
   * @param ours a pattern of Sluice's own entries
   * @param bundled what it holds of others
   * @param entryPoints classes that configurations and command lines name
   */
  protected JarTests(String ours, Set<Bundled> bundled, List<String> entryPoints) {
    this.ours = Pattern.compile(ours);
    this.bundled = Set.copyOf(bundled);
    this.entryPoints = entryPoints;
  }

  @BeforeEach
  final void open() throws IOException {
    jar = new JarFile(System.getProperty("sluice.jar"));
    entries = jar.stream().map(ZipEntry::getName).filter(name -> !name.endsWith("/")).toList();
  }

  @AfterEach
  final void close() throws IOException {
    jar.close();
  }

  @Test
  final void holdsNothingUnexpected() {
    assertEquals(
        List.of(),
        entries.stream()
            .filter(name -> !META.matcher(name).matches() && !ours.matcher(name).matches())
            .filter(name -> bundled.stream().noneMatch(one -> one.holds(name)))
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
        bundled.stream()
            .flatMap(one -> one.boundByName().stream())
            .filter(name -> !entries.contains(name))
            .toList(),
        "missing");
  }

  @Test
  final void carriesOurLicenceAndNotice() throws IOException {
    for (String name : List.of("LICENSE", "NOTICE")) {
      assertEquals(
          Files.readString(Path.of(System.getProperty("sluice.root"), name)),
          text("META-INF/" + name));
    }
  }

  @Test
  final void carriesTheLicenceOfEverythingThatItBundles() throws IOException {
    String notice = text("META-INF/NOTICE");
    for (Bundled one : bundled) {
      assertAll(
          one.toString(),
          () -> assertTrue(entries.stream().anyMatch(one::holds), "is in the jar"),
          () -> assertFalse(text(one.text()).isBlank(), one.text()),
          () -> assertTrue(notice.contains(one.line()), notice));
    }
  }

  /** Such as a library within another's, which is in no entry of its own. */
  @Test
  final void bundlesNothingThatItsTestDoesNotName() {
    assertEquals(
        List.of(),
        Stream.of(Bundled.values())
            .filter(one -> !bundled.contains(one) && entries.stream().anyMatch(one::holds))
            .toList());
  }

  @Test
  final void saysItsVersion() throws IOException {
    Attributes manifest = jar.getManifest().getMainAttributes();
    assertEquals("1.0", manifest.getValue(Attributes.Name.MANIFEST_VERSION));
    assertEquals(
        System.getProperty("sluice.version"),
        manifest.getValue(Attributes.Name.IMPLEMENTATION_VERSION));
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

  private String text(String name) throws IOException {
    ZipEntry entry = jar.getEntry(name);
    assertTrue(entry != null, name + " is missing");
    return new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
  }
}
