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
 * <p>Not thread-safe. Ownership: their starter closes them; their files stay in the directory
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

  /** The Spark whose jobs they are for. */
  SparkDistribution spark() {
    return spark;
  }

  /** Where their files are. */
  Path directory() {
    return directory;
  }

  /**
   * Starts a server. Its command line names the directory, by which the next run finds what a
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
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().putAll(environment);
    Daemon daemon = new Daemon(name, builder, directory.resolve(name + ".log"));
    daemons.add(daemon);
    daemon.start();
  }

  /** Waits for a sign that they serve. */
  void await(String what, Poll.Condition condition) {
    Poll.untilTrue(
        what,
        READY_DEADLINE,
        () -> {
          daemons.forEach(Daemon::requireAlive);
          return condition.holds();
        });
  }

  /** Sets the settings of jobs through them. */
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
