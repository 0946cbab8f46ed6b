package io.sluice.tools.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the kernel shows of a machine in {@code /proc}, {@code /sys} and {@code /dev}. What is
 * missing or cannot be read is absent: the kernel answers some of these files with an error where
 * it has nothing to say.
 *
 * @param root {@code /}, or a made-up tree
 */
public record SystemFiles(Path root) {

  /** This machine. */
  public static SystemFiles ofThisMachine() {
    return new SystemFiles(Path.of("/"));
  }

  /** Where an absolute path lies below the root. */
  Path path(String absolute) {
    return root.resolve(absolute.substring(1));
  }

  boolean exists(String absolute) {
    return Files.exists(path(absolute));
  }

  /** All lines; none if the file is absent. */
  List<String> lines(String absolute) {
    try {
      return Files.readAllLines(path(absolute));
    } catch (IOException e) {
      return List.of();
    }
  }

  /** The first line, stripped. */
  public Optional<String> line(String absolute) {
    return lines(absolute).stream().findFirst().map(String::strip);
  }

  /** The first word after the label at the start of a line. */
  public Optional<String> field(String absolute, String label) {
    return lines(absolute).stream()
        .filter(line -> line.startsWith(label))
        .map(line -> line.substring(label.length()).strip().split("\\s+")[0])
        .findFirst();
  }

  /** Names in a directory, sorted; none if it is absent. */
  List<String> names(String absolute) {
    try (Stream<Path> entries = Files.list(path(absolute))) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      return List.of();
    }
  }
}
