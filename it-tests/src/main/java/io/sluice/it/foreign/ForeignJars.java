package io.sluice.it.foreign;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.LogTail;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.SparkDistribution;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Fetches a program's released jars with Maven, once per user and list: a line of the file {@code
 * jars} has a jar's SHA-256 and its {@code group:artifact:version[:classifier]}.
 *
 * <p>Processes may fetch the same list side by side: each fills a directory of its own and renames
 * it when every jar has been checked. A failure is a {@link ClusterException}, and leaves nothing.
 */
final class ForeignJars {
  private static final long DEADLINE_MIN = 20;
  private static final int TAIL_LINES = 20;
  private static final String COPY =
      "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";

  private record Jar(String sha256, String[] coordinates) {
    static Jar parse(String line) {
      String[] parts = line.split("\\s+");
      String[] coordinates = parts[parts.length - 1].split(":");
      if (parts.length != 2 || coordinates.length < 3 || coordinates.length > 4) {
        throw new ClusterException("not a SHA-256 and a jar's coordinates: " + line);
      }
      return new Jar(parts[0], coordinates);
    }

    String fileName() {
      String classifier = coordinates.length == 4 ? "-" + coordinates[3] : "";
      return coordinates[1] + "-" + coordinates[2] + classifier + ".jar";
    }

    String dependency() {
      return "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version>%s%s</dependency>%n"
          .formatted(
              coordinates[0],
              coordinates[1],
              coordinates[2],
              coordinates.length == 4 ? "<classifier>" + coordinates[3] + "</classifier>" : "",
              "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>");
    }
  }

  private ForeignJars() {}

  /** The directory with the program's jars and no other files. */
  static Path of(Workspace workspace, ForeignProgram program) {
    Path list = program.directory(workspace).resolve("jars");
    try {
      String text = Files.readString(list);
      Path cache = SparkDistribution.userCaches().resolve("sluice/foreign");
      Path home =
          cache.resolve(program.directoryName() + "-" + sha256(text.getBytes()).substring(0, 12));
      if (!Files.isDirectory(home)) {
        Path staging = Files.createTempDirectory(Files.createDirectories(cache), ".fetching");
        try {
          fetch(text.lines().toList(), staging);
          if (!staging.resolve("jars").toFile().renameTo(home.toFile())
              && !Files.isDirectory(home)) {
            throw new ClusterException("cannot rename " + staging + " to " + home);
          }
        } finally {
          Workspace.delete(staging);
        }
      }
      return home;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot fetch the jars of " + list, e);
    }
  }

  private static void fetch(List<String> list, Path staging) throws IOException {
    StringBuilder pom = new StringBuilder("<project><modelVersion>4.0.0</modelVersion>\n");
    pom.append("<groupId>foreign</groupId><artifactId>jars</artifactId><version>1</version>\n");
    pom.append("<packaging>pom</packaging><dependencies>\n");
    list.forEach(line -> pom.append(Jar.parse(line).dependency()));
    Files.writeString(staging.resolve("pom.xml"), pom.append("</dependencies></project>\n"));
    Path directory = Files.createDirectory(staging.resolve("jars"));
    Path log = staging.resolve("log");
    run(
        new ProcessBuilder("mvn", "-B", "-ntp", "-q", COPY, "-DoutputDirectory=" + directory)
            .directory(staging.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile()),
        log);
    check(list, directory);
  }

  /** Fails, with both hashes, if one of the listed jars is not the one in the directory. */
  static void check(List<String> list, Path directory) throws IOException {
    for (Jar jar : list.stream().map(Jar::parse).toList()) {
      String found = sha256(Files.readAllBytes(directory.resolve(jar.fileName())));
      if (!found.equals(jar.sha256())) {
        throw new ClusterException(
            "the SHA-256 of %s is %s, expected %s".formatted(jar.fileName(), found, jar.sha256()));
      }
    }
  }

  private static void run(ProcessBuilder maven, Path log) throws IOException {
    Process process = maven.start();
    try {
      if (!process.waitFor(DEADLINE_MIN, TimeUnit.MINUTES) || process.exitValue() != 0) {
        throw new ClusterException(
            "Maven could not fetch the jars: " + LogTail.of(log, TAIL_LINES));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while Maven fetched jars", e);
    } finally {
      process.destroyForcibly();
    }
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
