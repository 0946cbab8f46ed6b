package io.sluice.it.spark;

import io.sluice.it.cluster.ClusterDirectory;
import io.sluice.it.cluster.PeerHost;
import io.sluice.it.cluster.Poll;
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
 * Where Spark processes run and keep everything, each in a place of its own with a {@code
 * SPARK_HOME} of its own, which has links to a distribution.
 *
 * <p>Spark puts {@code $SPARK_HOME/jars} into the command line of every process that it starts,
 * executors included, and that is how these processes are known; and a local cluster's executors
 * work below {@code $SPARK_HOME}, which should not be the distribution.
 *
 * <p>Not thread-safe, except {@link #close}. Its creator closes it, which kills its processes and
 * removes all files; a shutdown hook does so when the JVM is interrupted, and the next one with the
 * same parent does so for a JVM that was killed.
 */
final class SparkDirectory implements AutoCloseable {
  private static final Duration KILL_DEADLINE = Duration.ofMinutes(1);
  private static final Duration END_DEADLINE = Duration.ofMinutes(2);
  private static final String LOOPBACK = "127.0.0.1";

  private final SparkDistribution distribution;
  private final ClusterDirectory directory;
  private final Thread closer = new Thread(this::end, "close-spark");
  private boolean keep;
  private boolean closed;

  private SparkDirectory(SparkDistribution distribution, ClusterDirectory directory) {
    this.distribution = distribution;
    this.directory = directory;
  }

  /** Makes one, in a new directory below the given one. */
  static SparkDirectory create(SparkDistribution distribution, Path parent) {
    ClusterDirectory.removeLeftovers(parent);
    SparkDirectory made = new SparkDirectory(distribution, ClusterDirectory.create(parent));
    Runtime.getRuntime().addShutdownHook(made.closer);
    return made;
  }

  Path logs() {
    return directory.logs();
  }

  /** Makes a place for a process. */
  Path makePlace(String name) {
    Path home = directory.path().resolve(name).resolve("home");
    try {
      Files.createDirectories(home);
      for (String part : List.of("bin", "jars", "python")) {
        if (Files.exists(distribution.home().resolve(part))) {
          Files.createSymbolicLink(home.resolve(part), distribution.home().resolve(part));
        }
      }
      return home.getParent();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot link " + distribution.home() + " to " + home, e);
    }
  }

  /** Starts a program of {@code bin} in its place. */
  Process start(
      Path place,
      String program,
      List<String> arguments,
      Map<String, String> environment,
      Path stdout,
      Path stderr) {
    return start(place, command(place, program, arguments), environment, stdout, stderr);
  }

  /**
   * Starts a program in its place, which is in the command line; nothing of the caller's own Spark
   * settings reaches it.
   */
  Process start(
      Path place, List<String> command, Map<String, String> environment, Path stdout, Path stderr) {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(place.toFile())
            .redirectOutput(ProcessBuilder.Redirect.appendTo(stdout.toFile()))
            .redirectError(ProcessBuilder.Redirect.appendTo(stderr.toFile()));
    builder.environment().keySet().removeIf(name -> name.matches("(SPARK|PYSPARK|HADOOP|YARN)_.*"));
    builder.environment().putAll(environmentOf(place, environment));
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      return process;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + command.get(0), e);
    }
  }

  /**
   * Starts a program of {@code bin} in its place on another host, with both streams in a file. What
   * is started there is not among the processes of this directory.
   */
  Process start(
      PeerHost host,
      Path place,
      String program,
      List<String> arguments,
      Map<String, String> environment,
      Path log) {
    return host.start(command(place, program, arguments), environmentOf(place, environment), log);
  }

  private static List<String> command(Path place, String program, List<String> arguments) {
    List<String> command =
        new ArrayList<>(List.of(place.resolve("home/bin/" + program).toString()));
    command.addAll(arguments);
    return command;
  }

  private Map<String, String> environmentOf(Path place, Map<String, String> more) {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("JAVA_HOME", distribution.javaHome().toString());
    environment.put("SPARK_HOME", place.resolve("home").toString());
    environment.put("SPARK_LOCAL_IP", LOOPBACK);
    // All JVMs take this up, executors too; one that is killed leaves its temporary files here.
    environment.put("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + place);
    environment.putAll(more);
    return environment;
  }

  /** Waits until all that was started from here has ended by itself. */
  void awaitProcesses() {
    Poll.untilTrue(
        "the processes of " + directory.path() + " to end by themselves",
        END_DEADLINE,
        () -> directory.processes().isEmpty());
  }

  /** Kills everything that was started from here, and what that has started, and waits for it. */
  void endProcesses() {
    Poll.untilTrue(
        "the processes of " + directory.path() + " to end",
        KILL_DEADLINE,
        () -> {
          List<ProcessHandle> left = directory.processes();
          left.forEach(ProcessHandle::destroyForcibly);
          return left.isEmpty();
        });
  }

  /** Leaves all files behind when this is closed, to be looked at. */
  void keepDirectory() {
    keep = true;
  }

  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(closer);
    } catch (IllegalStateException alreadyShuttingDown) {
      // The hook is what runs this, or it has nothing left to do.
      return;
    }
  }

  private synchronized void end() {
    if (closed) {
      return;
    }
    closed = true;
    endProcesses();
    if (keep) {
      directory.giveUp();
    } else {
      directory.delete();
    }
  }
}
