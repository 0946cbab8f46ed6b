package io.sluice.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
  private static final String OWNER_FILE = "owner.pid";

  /** Makes one with a name of its own. */
  public static ClusterDirectory create(Path clusters) {
    try {
      Files.createDirectories(clusters);
      ClusterDirectory made = new ClusterDirectory(Files.createTempDirectory(clusters, "c"));
      Files.createDirectories(made.logs());
      made.own();
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

  /** Who looks into it meanwhile finds no owner or the whole pid. */
  private void own() throws IOException {
    Path unnamed = path.resolve(OWNER_FILE + ".new");
    Files.writeString(unnamed, Long.toString(ProcessHandle.current().pid()));
    Files.move(unnamed, path.resolve(OWNER_FILE), StandardCopyOption.ATOMIC_MOVE);
  }

  /** False if its owner was killed. Other JVMs make and remove theirs while this looks. */
  private boolean isOwned() {
    Path file = path.resolve(OWNER_FILE);
    try {
      String pid = Files.readString(file);
      return pid.matches("\\d+")
          && ProcessTable.commandLine(Long.parseLong(pid))
              .filter(line -> line.contains("java"))
              .isPresent();
    } catch (NoSuchFileException e) {
      return true; // being made or removed, or given up by its owner, to be looked at
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
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
