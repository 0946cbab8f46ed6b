package io.sluice.it.release;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What the launcher of a release, and stock Hadoop, use of a machine besides Java. */
final class LauncherTools {
  private static final List<String> TOOLS =
      List.of("sh", "bash", "cat", "chmod", "env", "id", "ls", "readlink", "uname");

  private LauncherTools() {}

  /** Makes a directory to be the whole PATH, with links to them. */
  static Path link(Path directory) throws IOException {
    Files.createDirectory(directory);
    for (String tool : TOOLS) {
      Path found =
          Stream.of(System.getenv("PATH").split(File.pathSeparator))
              .map(place -> Path.of(place, tool))
              .filter(Files::isExecutable)
              .findFirst()
              .orElseThrow();
      Files.createSymbolicLink(directory.resolve(tool), found);
    }
    return directory;
  }
}
