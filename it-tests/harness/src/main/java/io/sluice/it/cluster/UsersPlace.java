package io.sluice.it.cluster;

import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.segment.PrivateDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Makes the directory of a cluster fit for processes of several users: they can read its jars,
 * which a checkout in somebody's home seldom allows, and containers are started by stock's own
 * {@code LinuxContainerExecutor} through a script of this module.
 *
 * <p>All of it lies in the cluster's directory and is removed with it. Failure: {@link
 * UncheckedIOException}.
 */
final class UsersPlace {
  private static final Path CLUSTERS = Path.of("/var/tmp/sluice-clusters");
  private static final String EXECUTOR = "container-executor";
  private static final String LINUX_EXECUTOR = "yarn.nodemanager.linux-container-executor.";

  private UsersPlace() {}

  /** Where such clusters are, which everybody may pass; it stays. */
  static Path clusters() {
    try {
      PrivateDirectory.create(CLUSTERS, PoolVisibility.ANNOUNCED, "remove it");
      setMode(CLUSTERS, "rwxr-xr-x");
      return CLUSTERS;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Fills the directory, and says what cluster it is then. */
  static ClusterSpec prepare(ClusterSpec spec, ClusterDirectory directory) {
    Path path = directory.path();
    try {
      setMode(path, "rwxr-xr-x");
      openToAll(Files.createDirectories(path.resolve("tmp")));
      HadoopDistribution release = copy(spec.distribution(), path.resolve("hadoop"));
      Optional<SluiceFragments> plugin = Optional.empty();
      if (spec.sluice().isPresent()) {
        SluiceFragments found = spec.sluice().get();
        plugin = Optional.of(found.movedTo(copy(found.jar(), path.resolve("sluice-hadoop.jar"))));
      }
      Path executor = path.resolve(EXECUTOR);
      try (InputStream script = UsersPlace.class.getResourceAsStream(EXECUTOR)) {
        Files.copy(script, executor);
      }
      setMode(executor, "rwxr-xr-x");
      return spec.withJars(release, plugin).withSite(site(executor));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot prepare " + path, e);
    }
  }

  private static Map<String, String> site(Path executor) {
    Map<String, String> site = new LinkedHashMap<>();
    site.put(
        "yarn.nodemanager.container-executor.class",
        "org.apache.hadoop.yarn.server.nodemanager.LinuxContainerExecutor");
    site.put(LINUX_EXECUTOR + "path", executor.toString());
    site.put(LINUX_EXECUTOR + "group", TestUsers.NODE_MANAGER);
    // Each container as its job's user, as with Kerberos; the default is one user for all.
    site.put(LINUX_EXECUTOR + "nonsecure-mode.limit-users", "false");
    // HDFS has no directories of these users. Jobs of all make theirs below the same ones, so these
    // are none of the history server's, which closes what it makes.
    site.put("dfs.permissions.enabled", "false");
    site.put("mapreduce.jobhistory.intermediate-done-dir", "/history-of-users");
    site.put("mapreduce.jobhistory.done-dir", "/history");
    return site;
  }

  private static HadoopDistribution copy(HadoopDistribution release, Path home) throws IOException {
    Path lib = Files.createDirectories(home.resolve("lib"));
    for (Path jar : Workspace.matching(release.home().resolve("lib"), "", ".jar")) {
      copy(jar, lib.resolve(jar.getFileName()));
    }
    return new HadoopDistribution(release.version(), home);
  }

  private static Path copy(Path file, Path to) throws IOException {
    Files.copy(file, to);
    setMode(to, "rw-r--r--");
    return to;
  }

  /** Lets every user make files in a directory. */
  static void openToAll(Path directory) {
    try {
      setMode(directory, "rwxrwxrwx");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open " + directory, e);
    }
  }

  private static void setMode(Path path, String permissions) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }
}
