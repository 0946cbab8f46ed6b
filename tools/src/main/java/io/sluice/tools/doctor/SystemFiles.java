package io.sluice.tools.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads {@code /proc}, {@code /sys} and {@code /dev}. A file that is missing or cannot be read
 * counts as absent, because the kernel answers a read of some of these files with an error. Thread
 * contract: immutable.
 *
 * @param root {@code /}, or a made-up tree
 */
public record SystemFiles(Path root) {

  /** The files of this machine. */
  public static SystemFiles ofThisMachine() {
    return new SystemFiles(Path.of("/"));
  }

  /** The location of an absolute path below the root. */
  Path path(String absolute) {
    return root.resolve(absolute.substring(1));
  }

  boolean exists(String absolute) {
    return Files.exists(path(absolute));
  }

  /** All lines of a file; none if it is absent. */
  List<String> lines(String absolute) {
    try {
      return Files.readAllLines(path(absolute));
    } catch (IOException e) {
      return List.of();
    }
  }

  /** The first line of a file, stripped. */
  public Optional<String> line(String absolute) {
    return lines(absolute).stream().findFirst().map(String::strip);
  }

  /** The first word after a label that starts a line. */
  public Optional<String> field(String absolute, String label) {
    return lines(absolute).stream()
        .filter(line -> line.startsWith(label))
        .map(line -> line.substring(label.length()).strip().split("\\s+")[0])
        .findFirst();
  }

  /** The names in a directory, sorted; none if it is absent. */
  List<String> names(String absolute) {
    try (Stream<Path> entries = Files.list(path(absolute))) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      return List.of();
    }
  }
}
