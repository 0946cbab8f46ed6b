package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.cluster.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * What the jar for Spark refers to, as compiled, is there in each release of Spark, or is in the
 * list of what that release never reaches, {@code spark-references.txt}. Spark itself says at run
 * time only, and only where a job comes by. A method that overrides one of Spark's overrides it in
 * each release, too, and no release has a method that one of our classes should implement and does
 * not.
 */
class SparkReferencesIT {
  private static final String OURS = "io/sluice/spark/";

  static final List<String> RELEASES = SparkDistribution.VERSIONS;

  private static final Path JAR = Workspace.find().sparkEngineJar();
  private static final Map<String, Set<String>> OVERRIDES = new TreeMap<>();

  /** What the classes override in the release that they are compiled with. */
  @BeforeAll
  static void readOverrides() throws IOException {
    try (LinkedClasses here = new LinkedClasses(jars(home(SparkDistribution.DEFAULT_VERSION)))) {
      for (String name : names()) {
        OVERRIDES.put(name, here.overrides(name, OURS));
      }
    }
  }

  @ParameterizedTest
  @FieldSource("RELEASES")
  void aReleaseHasWhatTheJarRefersTo(String release) throws IOException {
    assertEquals(
        String.join("\n", listed(release)),
        String.join("\n", missing(home(release))),
        "Spark " + release + ": listed in spark-references.txt, and missing");
  }

  private static Path home(String release) {
    Path home = SparkDistribution.home(release);
    assumeTrue(Files.isDirectory(home), "Spark " + release + " has not been fetched");
    return home;
  }

  private static List<String> names() throws IOException {
    try (JarFile ours = new JarFile(JAR.toFile())) {
      return LinkedClasses.names(ours).filter(name -> name.startsWith(OURS)).toList();
    }
  }

  private static Set<String> missing(Path home) throws IOException {
    Set<String> missing = new TreeSet<>();
    try (LinkedClasses there = new LinkedClasses(jars(home))) {
      for (String name : names()) {
        String simple = name.substring(OURS.length()) + " ";
        there.missing(name).forEach(reference -> missing.add(simple + reference));
        there.unimplemented(name).forEach(method -> missing.add(simple + "lacks " + method));
        Set<String> lost = new TreeSet<>(OVERRIDES.get(name));
        lost.removeAll(there.overrides(name, OURS));
        lost.forEach(method -> missing.add(simple + "overrides " + method));
      }
    }
    return missing;
  }

  private static List<Path> jars(Path home) throws IOException {
    List<Path> all = new ArrayList<>(List.of(JAR));
    try (Stream<Path> files = Files.list(home.resolve("jars"))) {
      files.filter(file -> file.toString().endsWith(".jar")).sorted().forEach(all::add);
    }
    return all;
  }

  /** The lines of a release: {@code release class reference}. Others say why. */
  private static Set<String> listed(String release) throws IOException {
    Path list = Workspace.find().root().resolve("it-tests/src/test/resources/spark-references.txt");
    Set<String> found = new TreeSet<>();
    for (String line : Files.readAllLines(list)) {
      String[] parts = line.split(" ", 2);
      if (!line.startsWith("#") && List.of(parts[0].split(",")).contains(release)) {
        found.add(parts[1]);
      }
    }
    return found;
  }
}
