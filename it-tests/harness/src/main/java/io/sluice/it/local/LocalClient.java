package io.sluice.it.local;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.HadoopDistribution;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs jars as {@code hadoop jar} does, each in a JVM of its own on stock's jars and Sluice's, with
 * nothing else configured than the command says.
 *
 * <p>Not thread-safe. Ownership: the directory is its caller's. A process that fails is a {@link
 * ClusterException} with the end of what it said.
 */
public final class LocalClient {
  private static final long DEADLINE_MIN = 30;
  private static final int TAIL_LINES = 30;

  private final HadoopDistribution distribution;
  private final Path engineJar;
  private final Path directory;
  private final List<String> jvmOptions;
  private int runs;

  /** With its files in that directory, and such options for each JVM. */
  public LocalClient(
      HadoopDistribution distribution, Path engineJar, Path directory, List<String> jvmOptions) {
    this.distribution = distribution;
    this.engineJar = engineJar;
    this.directory = directory;
    this.jvmOptions = List.copyOf(jvmOptions);
  }

  /** Runs a jar to its end, and says what the process took. */
  public ProcessCosts run(Path jar, List<String> arguments) {
    runs++;
    Path costs = directory.resolve("costs-" + runs);
    Path log = directory.resolve("log-" + runs);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.addAll(distribution.jvmOptions());
    command.add("-cp");
    command.add(String.join(":", distribution.classPath(), engineJar.toString(), classesOfThis()));
    command.add(MeasuredMain.class.getName());
    command.add(costs.toString());
    command.add("org.apache.hadoop.util.RunJar");
    command.add(jar.toString());
    command.addAll(arguments);
    long startNs = System.nanoTime();
    run(command, log);
    return ProcessCosts.read(costs, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs));
  }

  private static String classesOfThis() {
    return Path.of(MeasuredMain.class.getProtectionDomain().getCodeSource().getLocation().getPath())
        .toString();
  }

  private void run(List<String> command, Path log) {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.directory(directory.toFile());
    builder.environment().keySet().removeIf(name -> name.matches("(HADOOP|YARN|HDFS|MAPRED)_.*"));
    try {
      Process process = builder.start();
      try {
        if (!process.waitFor(DEADLINE_MIN, TimeUnit.MINUTES)) {
          throw new ClusterException("still running after " + DEADLINE_MIN + " min: " + command);
        }
      } finally {
        process.destroyForcibly();
      }
      if (process.exitValue() != 0) {
        List<String> lines = Files.readAllLines(log);
        throw new ClusterException(
            "%s ended with %d:%n%s"
                .formatted(
                    String.join(" ", command),
                    process.exitValue(),
                    String.join(
                        "\n",
                        lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()))));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while a job ran");
    }
  }
}
