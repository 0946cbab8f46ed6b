package io.sluice.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How a JVM on stock Hadoop jars is started: class path, heap, environment.
 *
 * @param conf the conf directory, first on the class path
 * @param distribution the release
 * @param jvmOptions heap and the like
 * @param mainClass what to run
 * @param arguments its arguments
 * @param classPath what else than the release is on the class path
 * @param launcher the program that becomes the JVM, with its arguments; none if empty
 */
record HadoopProcess(
    Path conf,
    HadoopDistribution distribution,
    List<String> jvmOptions,
    String mainClass,
    List<String> arguments,
    List<Path> classPath,
    List<String> launcher) {
  private static final int TAIL_LINES = 40;

  /** With stock jars and no others. */
  HadoopProcess(
      Path conf,
      HadoopDistribution distribution,
      List<String> jvmOptions,
      String mainClass,
      List<String> arguments) {
    this(conf, distribution, jvmOptions, mainClass, arguments, List.of(), List.of());
  }

  /** The same through a program that becomes it, such as one that changes the user. */
  HadoopProcess through(List<String> program) {
    List<String> all = new ArrayList<>(program);
    all.addAll(launcher);
    return new HadoopProcess(conf, distribution, jvmOptions, mainClass, arguments, classPath, all);
  }

  /** Starts the JVM with both its streams in one file (appended), or to the caller when null. */
  Process start(Path logFile) {
    ProcessBuilder builder = new ProcessBuilder(command()).redirectErrorStream(true);
    if (logFile != null) {
      builder.redirectOutput(ProcessBuilder.Redirect.appendTo(logFile.toFile()));
    }
    builder.environment().keySet().removeIf(name -> name.matches("(HADOOP|YARN|HDFS|MAPRED)_.*"));
    builder.environment().putAll(environment());
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      return process;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + mainClass, e);
    }
  }

  /** Runs the JVM to its end; fails, with the end of the log, unless it succeeds in time. */
  void run(String what, Duration deadline, Path logFile) {
    Process process = start(logFile);
    try {
      if (!process.waitFor(deadline.toSeconds(), TimeUnit.SECONDS)) {
        throw new ClusterException(what + " took over " + deadline);
      }
      if (process.exitValue() != 0) {
        throw new ClusterException(
            "%s failed with exit status %d:%n%s"
                .formatted(what, process.exitValue(), LogTail.of(logFile, TAIL_LINES)));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while " + what, e);
    } finally {
      process.destroyForcibly();
    }
  }

  /** Starts the JVM on another host. */
  Process start(PeerHost host, Path logFile) {
    return host.start(command(), environment(), logFile);
  }

  private List<String> command() {
    List<String> command = new ArrayList<>(launcher);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:+UseSerialGC");
    command.add("-Djava.net.preferIPv4Stack=true");
    command.addAll(distribution.jvmOptions());
    command.addAll(jvmOptions);
    List<String> entries = new ArrayList<>(List.of(conf.toString(), distribution.classPath()));
    classPath.forEach(entry -> entries.add(entry.toString()));
    command.addAll(List.of("-cp", String.join(":", entries), mainClass));
    command.addAll(arguments);
    return command;
  }

  private static Map<String, String> environment() {
    return Map.of("JAVA_HOME", System.getProperty("java.home"), "HADOOP_CLIENT_SKIP_UNJAR", "true");
  }
}
