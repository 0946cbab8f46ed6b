package io.sluice.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The directory in which one cluster keeps everything, and the mark by which its processes are
 * known: every command line the cluster causes names it.
 *
 * <p>Holds the pid of the JVM that made it. If that JVM was killed before it could clean up, {@link
 * #removeLeftovers} ends its daemons and containers. {@link #giveUp} leaves the files to people.
 *
 * @param path the directory
 */
public record ClusterDirectory(Path path) {
  private static final String OWNER_FILE = "owner.pid";

  /** Makes one with a name of its own. */
  public static ClusterDirectory create(Path clusters) {
    try {
      Files.createDirectories(clusters);
      ClusterDirectory made = new ClusterDirectory(Files.createTempDirectory(clusters, "c"));
      Files.createDirectories(made.logs());
      Files.writeString(
          made.path.resolve(OWNER_FILE), Long.toString(ProcessHandle.current().pid()));
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make a directory for the cluster in " + clusters, e);
    }
  }

  /** Ends and removes the clusters of JVMs that no longer run. */
  public static void removeLeftovers(Path clusters) {
    Workspace.matching(clusters, "c", "").stream()
        .map(ClusterDirectory::new)
        .filter(cluster -> !cluster.isOwned())
        .forEach(
            cluster -> {
              cluster.endProcesses();
              Workspace.delete(Path.of("/dev/shm/sluice-" + cluster.path.getFileName()));
              cluster.delete();
            });
  }

  /** Where processes write what they say. */
  public Path logs() {
    return path.resolve("logs");
  }

  private boolean isOwned() {
    try {
      Path file = path.resolve(OWNER_FILE);
      if (!Files.exists(file)) {
        return true; // given up by its owner, to be looked at
      }
      Optional<String> owner = ProcessTable.commandLine(Long.parseLong(Files.readString(file)));
      return owner.filter(line -> line.contains("java")).isPresent();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + path.resolve(OWNER_FILE), e);
    }
  }

  /** The processes whose command line names this directory. */
  public List<ProcessHandle> processes() {
    return ProcessTable.whoseCommandLineHas(path + "/");
  }

  /** Kills every process of the cluster: containers and daemons. */
  void endProcesses() {
    processes().forEach(ProcessHandle::destroyForcibly);
  }

  /** Ends the ownership: from now on nobody removes the files but {@code mvn clean}. */
  public void giveUp() {
    try {
      Files.deleteIfExists(path.resolve(OWNER_FILE));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + path.resolve(OWNER_FILE), e);
    }
  }

  /** Removes it and all in it. */
  public void delete() {
    Workspace.delete(path);
  }
}
