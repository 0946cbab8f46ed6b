package io.sluice.it.limit;

import io.sluice.it.cluster.OwnerMark;
import io.sluice.it.cluster.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The directory in which one process keeps its volumes, and a note of its group; by it the next one
 * finds what a killed process left mounted, attached or running.
 *
 * <p>Closed last by who made it.
 *
 * @param path the directory
 */
public record LimitDirectory(Path path) implements AutoCloseable {
  private static final String PREFIX = "limits";

  /** Makes one, after it has removed what others left there. */
  public static LimitDirectory create(Path parent) {
    try {
      Files.createDirectories(parent);
      removeLeftovers(parent);
      Path made = Files.createTempDirectory(parent, PREFIX);
      new OwnerMark(made).own();
      return new LimitDirectory(made);
    } catch (IOException e) {
      throw new LimitException("cannot make a directory in " + parent, e);
    }
  }

  private static void removeLeftovers(Path parent) throws IOException {
    try (Stream<Path> directories = Files.list(parent)) {
      directories
          .filter(directory -> directory.getFileName().toString().startsWith(PREFIX))
          .filter(directory -> !new OwnerMark(directory).isOwned())
          .toList()
          .forEach(LimitDirectory::remove);
    }
  }

  private static void remove(Path directory) {
    ResourceGroups.removeLeft(directory);
    LoopVolume.removeLeft(directory);
    Workspace.delete(directory);
  }

  /** Removes it, and whatever its volumes and group still are. */
  @Override
  public void close() {
    remove(path);
  }
}
