package io.sluice.it.foreign;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.LogTail;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.SparkDistribution;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;

/**
 * Parts of others' releases that programs need, fetched once per user, list of parts and name.
 *
 * <p>Processes may fetch the same list side by side: each fills a directory of its own and renames
 * it when it is whole. A failure is a {@link ClusterException}, and leaves nothing.
 */
final class ForeignCache {
  private static final long DEADLINE_MIN = 20;
  private static final int TAIL_LINES = 20;

  private ForeignCache() {}

  /** Fills a directory that is to be kept, in a new one that has nothing else. */
  interface Filler {
    void fill(Path directory) throws IOException;
  }

  /**
   * The directory, which others only read.
   *
   * @param list what it was made of, in any form
   * @param part of what the filler made, to be kept
   */
  static Path of(String name, String list, String part, Filler filler) {
    Path cache = SparkDistribution.userCaches().resolve("sluice/foreign");
    Path home =
        cache.resolve(name + "-" + sha256(list.getBytes(StandardCharsets.UTF_8)).substring(0, 12));
    if (Files.isDirectory(home)) {
      return home;
    }
    try {
      Path staging = Files.createTempDirectory(Files.createDirectories(cache), ".fetching");
      try {
        filler.fill(staging);
        if (!staging.resolve(part).toFile().renameTo(home.toFile()) && !Files.isDirectory(home)) {
          throw new ClusterException("cannot rename " + staging + " to " + home);
        }
      } finally {
        Workspace.delete(staging);
      }
      return home;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot fetch " + home, e);
    }
  }

  /**
   * Runs a program to its end, in a directory.
   *
   * @param failure what to say in front of the end of its log
   */
  static void run(Path directory, String failure, String... command) throws IOException {
    Path log = directory.resolve("log");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      if (!process.waitFor(DEADLINE_MIN, TimeUnit.MINUTES) || process.exitValue() != 0) {
        throw new ClusterException(failure + ": " + LogTail.of(log, TAIL_LINES));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted; " + failure, e);
    } finally {
      process.destroyForcibly();
    }
  }

  static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
