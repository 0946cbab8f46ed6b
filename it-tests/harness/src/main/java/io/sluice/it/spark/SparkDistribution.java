package io.sluice.it.spark;

import io.sluice.it.cluster.ClusterException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A stock Spark release, as {@code ./sluice} fetches it, once for all checkouts of a user.
 *
 * @param version the release, such as 4.2.0; what follows a hyphen is its Scala, if Spark has
 *     several
 * @param home the directory with {@code bin} and {@code jars}, and with {@code python} unless it is
 *     of an older checkout
 * @param javaHome the JDK that runs its processes
 */
public record SparkDistribution(String version, Path home, Path javaHome) {
  public static final String DEFAULT_VERSION = "4.2.0";

  /** The releases for which Sluice's one jar is meant, the newest first. */
  public static final List<String> VERSIONS =
      List.of(DEFAULT_VERSION, "4.1.2", "4.0.3", "3.5.8", "3.5.8-scala2.13");

  /**
   * Finds a fetched release, to be run by this JVM's JDK; fails with the command that fetches it.
   */
  public static SparkDistribution locate(String version) {
    Path home = home(version);
    if (!Files.isDirectory(home)) {
      throw new ClusterException(
          "Spark %s is not in %s; run: ./sluice fetch-spark %s".formatted(version, home, version));
    }
    return new SparkDistribution(version, home, Path.of(System.getProperty("java.home")));
  }

  /** The one that tests run on. */
  public static SparkDistribution underTest() {
    return locate(versionUnderTest());
  }

  /** Its version: {@code -Dsluice.spark}, or the default. */
  public static String versionUnderTest() {
    return System.getProperty("sluice.spark", DEFAULT_VERSION);
  }

  /** The same, to be run by another JDK. */
  public SparkDistribution on(Path otherJavaHome) {
    return new SparkDistribution(version, home, otherJavaHome);
  }

  /**
   * Whether a release makes its shuffle manager before it loads jars of applications. The manager
   * must then be on the class path.
   */
  static boolean needsClassPath(String version) {
    return version.startsWith("3.");
  }

  /** Where a release is, if it has been fetched. */
  public static Path home(String version) {
    return userCaches().resolve("sluice/spark").resolve(version);
  }

  /** The directory of the user's caches, all programs' included. */
  public static Path userCaches() {
    String caches = System.getenv().getOrDefault("XDG_CACHE_HOME", "");
    return caches.isEmpty() ? Path.of(System.getenv("HOME"), ".cache") : Path.of(caches);
  }
}
