package io.sluice.it.spark.peer;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Daemon;
import io.sluice.it.cluster.Poll;
import io.sluice.it.spark.SparkDistribution;
import io.sluice.it.spark.SparkJob;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The servers of a peer, real processes of its release, and how jobs shuffle through them.
 *
 * <p>Not thread-safe. Ownership: whoever starts them closes them; their files stay in the directory
 * given. A server that dies is a {@link ClusterException} with the end of its log.
 */
public final class PeerServers implements AutoCloseable {
  static final String HOST = "127.0.0.1";
  private static final Duration READY_DEADLINE = Duration.ofMinutes(2);

  private final SparkDistribution spark;
  private final Path directory;
  private final List<Daemon> daemons = new ArrayList<>();
  private final Map<String, String> settings = new LinkedHashMap<>();
  private Path clientJar;

  PeerServers(SparkDistribution spark, Path directory) {
    this.spark = spark;
    this.directory = directory;
  }

  /** Whose jobs they are for. */
  SparkDistribution spark() {
    return spark;
  }

  /** Where their files are. */
  Path directory() {
    return directory;
  }

  /**
   * Starts a server. Its command line names the directory: so whoever comes next finds what a
   * killed benchmark has left.
   *
   * @param options of its JVM
   * @param classPath files, or directories of which all jars are taken
   * @param arguments its class and what that is given
   */
  void start(
      String name,
      Map<String, String> environment,
      List<String> options,
      List<Path> classPath,
      List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(spark.javaHome().resolve("bin/java").toString());
    command.add("-XX:ErrorFile=" + directory.resolve(name + "-crash.log"));
    command.addAll(options);
    command.add("-cp");
    command.add(
        String.join(
            ":",
            classPath.stream()
                .map(path -> Files.isDirectory(path) ? path + "/*" : path.toString())
                .toList()));
    command.addAll(arguments);
    Daemon daemon =
        new Daemon(name, log -> start(command, environment, log), directory.resolve(name + ".log"));
    daemons.add(daemon);
    daemon.start();
  }

  private Process start(List<String> command, Map<String, String> environment, Path log) {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    try {
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + command, e);
    }
  }

  /** Waits for what says that they serve. */
  void await(String what, Poll.Probe<Boolean> probe) {
    Poll.untilTrue(
        what,
        READY_DEADLINE,
        () -> {
          daemons.forEach(Daemon::requireAlive);
          return probe.ask();
        });
  }

  /** What jobs through them are told. */
  void setClient(Peer peer, Path jar, Map<String, String> clientSettings) {
    clientJar = jar;
    settings.put("spark.shuffle.manager", peer.manager());
    settings.putAll(clientSettings);
  }

  /** Writes a file of settings, a name and a value on each line. */
  Path write(String name, Map<String, ?> properties) {
    StringBuilder lines = new StringBuilder();
    properties.forEach((key, value) -> lines.append(key).append(' ').append(value).append('\n'));
    try {
      return Files.writeString(directory.resolve(name), lines);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + name, e);
    }
  }

  /** A job that shuffles through them, or fails. */
  public SparkJob through(SparkJob job) {
    return job.withJar(clientJar).with(settings);
  }

  /** Their processes. */
  public List<Long> pids() {
    return daemons.stream().map(Daemon::pid).toList();
  }

  @Override
  public void close() {
    daemons.forEach(Daemon::requestStop);
    daemons.forEach(Daemon::close);
  }
}
