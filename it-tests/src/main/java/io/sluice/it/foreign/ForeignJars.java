package io.sluice.it.foreign;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Fetches a program's released jars with Maven, once per user and list: a line of the file {@code
 * jars} has a jar's SHA-256 and its {@code group:artifact:version[:classifier]}.
 *
 * <p>Stateless. Failure: {@link ClusterException}, and as {@link ForeignCache} says.
 */
final class ForeignJars {
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
      return ForeignCache.of(
          program.directoryName(), text, "jars", staging -> fetch(text.lines().toList(), staging));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + list, e);
    }
  }

  /** The jars themselves. */
  static List<Path> files(Workspace workspace, ForeignProgram program) {
    try (Stream<Path> found = Files.list(of(workspace, program))) {
      return found.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list the jars of " + program, e);
    }
  }

  private static void fetch(List<String> list, Path staging) throws IOException {
    StringBuilder pom = new StringBuilder("<project><modelVersion>4.0.0</modelVersion>\n");
    pom.append("<groupId>foreign</groupId><artifactId>jars</artifactId><version>1</version>\n");
    pom.append("<packaging>pom</packaging><dependencies>\n");
    list.forEach(line -> pom.append(Jar.parse(line).dependency()));
    Files.writeString(staging.resolve("pom.xml"), pom.append("</dependencies></project>\n"));
    Path directory = Files.createDirectory(staging.resolve("jars"));
    ForeignCache.run(
        staging,
        "Maven could not fetch the jars",
        "mvn",
        "-B",
        "-ntp",
        "-q",
        COPY,
        "-DoutputDirectory=" + directory);
    check(list, directory);
  }

  /** Fails, with both hashes, if one of the listed jars is not the one in the directory. */
  static void check(List<String> list, Path directory) throws IOException {
    for (Jar jar : list.stream().map(Jar::parse).toList()) {
      String found = ForeignCache.sha256(Files.readAllBytes(directory.resolve(jar.fileName())));
      if (!found.equals(jar.sha256())) {
        throw new ClusterException(
            "the SHA-256 of %s is %s, expected %s".formatted(jar.fileName(), found, jar.sha256()));
      }
    }
  }
}
