package io.sluice.it.spark;

import io.sluice.it.cluster.ClusterException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A stock Spark release, as {@code ./sluice} fetches it, once for all checkouts of a user.
 *
 * @param version the release, such as 4.2.0
 * @param home the directory with {@code bin} and {@code jars}
 */
public record SparkDistribution(String version, Path home) {
  public static final String DEFAULT_VERSION = "4.2.0";

  /** Finds a fetched release; fails with the command that fetches it. */
  public static SparkDistribution locate(String version) {
    Path home = cache().resolve(version);
    if (!Files.isDirectory(home)) {
      throw new ClusterException(
          "Spark %s is not in %s; run: ./sluice fetch-spark %s".formatted(version, home, version));
    }
    return new SparkDistribution(version, home);
  }

  private static Path cache() {
    String caches = System.getenv().getOrDefault("XDG_CACHE_HOME", "");
    Path base = caches.isEmpty() ? Path.of(System.getenv("HOME"), ".cache") : Path.of(caches);
    return base.resolve("sluice/spark");
  }
}
