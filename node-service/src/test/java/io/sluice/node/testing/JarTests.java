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

  /** What is in it would come a second time, from another jar, if the POM named it too. */
  @Test
  final void itsPomAsksForNothingMore() throws Exception {
    XmlFile pom = pom();
    assertEquals(List.of(), pom.texts("/project/dependencies/dependency/artifactId"));
    assertEquals(List.of(), pom.texts("/project/parent/artifactId"));
  }

  /** Of what publishes for everybody: Maven Central refuses a POM that lacks one of these. */
  @Test
  final void itsPomSaysWhatARepositoryAsksFor() throws Exception {
    XmlFile pom = pom();
    assertEquals(List.of("io.sluice"), pom.texts("/project/groupId"));
    assertEquals(List.of("Apache-2.0"), pom.texts("/project/licenses/license/name"));
    assertEquals(List.of(System.getProperty("sluice.version")), pom.texts("/project/version"));
    for (String element :
        List.of(
            "name",
            "description",
            "url",
            "developers/developer/name",
            "scm/connection",
            "scm/url")) {
      List<String> said = pom.texts("/project/" + element);
      assertEquals(1, said.size(), element);
      assertFalse(said.get(0).isBlank() || said.get(0).contains("${"), element + ": " + said);
    }
    assertEquals(pom.texts("/project/url"), pom.texts("/project/scm/url"));
  }

  private static XmlFile pom() throws Exception {
    return new XmlFile(Path.of(System.getProperty("sluice.jar.pom")));
  }

  private String text(String name) throws IOException {
    ZipEntry entry = jar.getEntry(name);
    assertTrue(entry != null, name + " is missing");
    return new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
  }
}
