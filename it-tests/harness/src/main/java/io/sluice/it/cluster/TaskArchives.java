package io.sluice.it.cluster;

import io.sluice.rdma.memory.LockFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Archives of the classes that containers load, made as {@code docs/class-archive.md} says, one for
 * each release and build of the plugin jar; and the settings that are documented for them.
 *
 * <p>Processes that want the same archive make it once. Failure: {@link ClusterException} with what
 * the command says.
 */
final class TaskArchives {
  private static final String DOCUMENTED = "/var/lib/sluice/tasks.jsa";
  private static final String OPTION = "$(a=";
  private static final String COMMAND = "io.sluice.hadoop.archive.TaskArchive";
  private static final Duration DEADLINE = Duration.ofMinutes(10);

  private TaskArchives() {}

  /**
   * The settings of jobs, or none where there is no archive that fits: without Sluice, or where the
   * cluster's files are not of this host alone and no other cluster has had one made.
   *
   * @param conf of clients
   */
  static synchronized Map<String, String> settings(ClusterSpec spec, Path conf) {
    Workspace workspace = Workspace.find();
    if (spec.sluice().isEmpty() || spec.users().isPresent()) {
      return Map.of();
    }
    Path archive =
        workspace
            .root()
            .resolve(
                "target/archives/hadoop-%s-java-%s.jsa"
                    .formatted(spec.distribution().version(), Runtime.version()));
    try {
      if (!isCurrent(archive, spec)) {
        if (spec.places().shared().isPresent()) {
          return Map.of();
        }
        make(archive, spec, conf);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make " + archive, e);
    }
    Map<String, String> settings = documented();
    settings.replaceAll(
        (name, value) -> value.replace(DOCUMENTED, archive.toString()) + ofSite(spec, name));
    return settings;
  }

  /** The same settings without an archive, for jobs that shall be as in a cluster that has none. */
  static Map<String, String> without(ClusterSpec spec) {
    Map<String, String> settings = documented();
    settings.replaceAll(
        (name, value) -> value.substring(0, value.indexOf(OPTION)) + ofSite(spec, name));
    return settings;
  }

  private static Map<String, String> documented() {
    return new LinkedHashMap<>(
        ClusterSiteXml.read(Workspace.find().fragments().resolve("mapred-site.archive.xml")));
  }

  private static String ofSite(ClusterSpec spec, String name) {
    return spec.site().containsKey(name) ? " " + spec.site().get(name) : "";
  }

  private static boolean isCurrent(Path archive, ClusterSpec spec) throws IOException {
    if (!Files.exists(archive)) {
      return false;
    }
    FileTime made = Files.getLastModifiedTime(archive);
    Path jars = spec.distribution().home().resolve("lib");
    return made.compareTo(Files.getLastModifiedTime(spec.sluice().orElseThrow().jar())) > 0
        && made.compareTo(Files.getLastModifiedTime(jars)) > 0;
  }

  private static void make(Path archive, ClusterSpec spec, Path conf) throws IOException {
    Files.createDirectories(archive.getParent());
    Path locked = archive.resolveSibling("lock");
    LockFile lock = Poll.until("the lock " + locked, DEADLINE, () -> LockFile.tryLock(locked));
    try (lock) {
      if (isCurrent(archive, spec)) {
        return;
      }
      Path jar = spec.sluice().orElseThrow().jar();
      Path log = archive.resolveSibling("log");
      Files.deleteIfExists(log);
      HadoopProcess command =
          new HadoopProcess(
              conf,
              spec.distribution(),
              List.of("-Xmx256m"),
              "org.apache.hadoop.util.RunJar",
              List.of(jar.toString(), COMMAND, archive.toString()),
              List.of(jar),
              List.of("env", "HADOOP_CONF_DIR=" + conf));
      command.run("making an archive of classes", DEADLINE, log);
    }
  }
}
