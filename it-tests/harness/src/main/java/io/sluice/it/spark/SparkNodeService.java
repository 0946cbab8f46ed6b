package io.sluice.it.spark;

import io.sluice.it.cluster.Daemon;
import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.Workspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The node service of a standalone cluster on this host, a real process of the released jar.
 *
 * <p>Not thread-safe. Its starter closes it; its files stay in the directory given.
 */
public final class SparkNodeService implements AutoCloseable {
  private static final Duration READY_DEADLINE = Duration.ofMinutes(5);

  private final Path home;
  private final Daemon daemon;

  private SparkNodeService(Path home, Daemon daemon) {
    this.home = home;
    this.daemon = daemon;
  }

  /** Starts a small one on free ports, and returns when it serves. */
  public static SparkNodeService start(Workspace workspace, Path parent) {
    return start(workspace, parent, 64);
  }

  /** The same with a pool of so many MiB, in segments of a quarter of it but at most 64 MiB. */
  public static SparkNodeService start(Workspace workspace, Path parent, long capacityMb) {
    return start(workspace.toolsJar(), parent, capacityMb, List.of("--overflow-dirs=" + parent));
  }

  /** The same without a disk tier, of the release of that jar. */
  public static SparkNodeService startWithoutDisk(Path toolsJar, Path parent, long capacityMb) {
    return start(toolsJar, parent, capacityMb, List.of());
  }

  private static SparkNodeService start(
      Path toolsJar, Path parent, long capacityMb, List<String> more) {
    Path home = parent.resolve("service");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-jar",
                toolsJar.toString(),
                "node-service",
                "--dir=" + home,
                "--capacity=" + capacityMb + "m",
                "--segment-size=" + Math.min(64, capacityMb / 4) + "m",
                "--bind=0.0.0.0",
                "--port=0"));
    command.addAll(more);
    Daemon daemon =
        new Daemon("node service", new ProcessBuilder(command), parent.resolve("service.log"));
    daemon.start();
    try {
      Poll.untilTrue(
          "the node service to serve",
          READY_DEADLINE,
          () -> {
            daemon.requireAlive();
            return Files.exists(home.resolve("service.properties"));
          });
    } catch (RuntimeException e) {
      daemon.close();
      throw e;
    }
    return new SparkNodeService(home, daemon);
  }

  /** The directory that applications name in {@code spark.sluice.service}. */
  public Path directory() {
    return home;
  }

  /** Its process. */
  public long pid() {
    return daemon.pid();
  }

  /** Those that have, or may have, outputs there. */
  public List<String> applications() {
    daemon.requireAlive();
    try (Stream<Path> files = Files.list(home.resolve("applications"))) {
      return files.map(file -> file.getFileName().toString()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + home, e);
    }
  }

  @Override
  public void close() {
    daemon.close();
  }
}
