package io.sluice.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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
  /** Makes one with a name of its own. */
  public static ClusterDirectory create(Path clusters) {
    try {
      Files.createDirectories(clusters);
      ClusterDirectory made = new ClusterDirectory(Files.createTempDirectory(clusters, "c"));
      Files.createDirectories(made.logs());
      made.owner().own();
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make a directory for the cluster in " + clusters, e);
    }
  }

  /** Ends and removes the clusters of JVMs that no longer run. */
  public static void removeLeftovers(Path clusters) {
    Workspace.matching(clusters, "c", "").stream()
        .map(ClusterDirectory::new)
        .filter(cluster -> !cluster.owner().isOwned())
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

  private OwnerMark owner() {
    return new OwnerMark(path);
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
    owner().giveUp();
  }

  /** Removes it and all in it. */
  public void delete() {
    Workspace.delete(path);
  }
}
