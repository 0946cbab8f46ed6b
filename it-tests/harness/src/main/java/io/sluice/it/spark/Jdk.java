package io.sluice.it.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A JDK of this host.
 *
 * @param version such as 17.0.15
 * @param home where it is
 */
public record Jdk(String version, Path home) {
  private static final Path USUAL_PLACE = Path.of("/usr/lib/jvm");
  private static final int OLDEST = 17;
  private static final String VERSION_KEY = "JAVA_VERSION=";

  /** 17, say. */
  public int feature() {
    return Runtime.Version.parse(version).feature();
  }

  /** One of each feature release that is new enough: this JVM's, and where Linux has its JDKs. */
  public static Map<Integer, Jdk> ofThisHost() {
    Map<Integer, Jdk> found = new TreeMap<>();
    for (Path home : homes().toList()) {
      of(home)
          .filter(jdk -> jdk.feature() >= OLDEST)
          .ifPresent(jdk -> found.putIfAbsent(jdk.feature(), jdk));
    }
    return found;
  }

  private static Stream<Path> homes() {
    Stream<Path> ours = Stream.of(Path.of(System.getProperty("java.home")));
    if (!Files.isDirectory(USUAL_PLACE)) {
      return ours;
    }
    try (Stream<Path> usual = Files.list(USUAL_PLACE)) {
      return Stream.concat(ours, usual.sorted(Comparator.naturalOrder()).toList().stream());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + USUAL_PLACE, e);
    }
  }

  /** What is in a directory; empty if it is no JDK. */
  static Optional<Jdk> of(Path home) {
    Path release = home.resolve("release");
    if (!Files.isReadable(release) || !Files.isExecutable(home.resolve("bin/java"))) {
      return Optional.empty();
    }
    try (Stream<String> lines = Files.lines(release)) {
      return lines
          .filter(line -> line.startsWith(VERSION_KEY))
          .map(line -> line.substring(VERSION_KEY.length()).replace("\"", ""))
          .map(version -> new Jdk(version, home))
          .findFirst();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + release, e);
    }
  }
}
