package io.sluice.it.spark.peer;

import io.sluice.it.cluster.ClusterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Finds jars whose names have a version that nobody knows beforehand. */
final class Jars {
  private Jars() {}

  /** The only one in a directory whose name begins like that, or a {@link ClusterException}. */
  static Path only(Path directory, String prefix) {
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> found =
          files
              .filter(file -> file.getFileName().toString().startsWith(prefix))
              .filter(file -> file.getFileName().toString().endsWith(".jar"))
              .sorted()
              .toList();
      if (found.size() != 1) {
        throw new ClusterException(
            "one %s*.jar is needed in %s: there are %s".formatted(prefix, directory, found));
      }
      return found.get(0);
    } catch (IOException e) {
      throw new ClusterException("there is no %s*.jar: %s".formatted(prefix, directory), e);
    }
  }
}
