package io.sluice.it.local;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.LogTail;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.SparkDistribution;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/**
 * Runs jars as {@code hadoop jar} and {@code spark-submit} do, each in a JVM of its own, and says
 * what that took.
 *
 * <p>Not thread-safe. Ownership: the directory is its caller's. A process that fails is a {@link
 * ClusterException} with the end of what it said.
 */
public final class LocalJobClient {
  private static final long DEADLINE_MIN = 30;
  private static final int TAIL_LINES = 30;

  private final List<String> prefix;
  private final List<String> classPath;
  private final String launcher;
  private final Path directory;
  private final List<String> jvmOptions;
  private int runs;

  private LocalJobClient(
      List<String> prefix,
      List<String> classPath,
      String launcher,
      Path directory,
      List<String> jvmOptions) {
    this.prefix = List.copyOf(prefix);
    this.classPath = List.copyOf(classPath);
    this.launcher = launcher;
    this.directory = directory;
    this.jvmOptions = List.copyOf(jvmOptions);
  }

  private static LocalJobClient hadoop(
      HadoopDistribution distribution,
      Optional<Path> conf,
      List<Path> jars,
      Path directory,
      List<String> jvmOptions) {
    List<String> classPath = new ArrayList<>(conf.stream().map(Path::toString).toList());
    classPath.add(distribution.classPath());
    jars.forEach(jar -> classPath.add(jar.toString()));
    List<String> options = new ArrayList<>(jvmOptions);
    options.addAll(distribution.jvmOptions());
    return new LocalJobClient(
        List.of(), classPath, "org.apache.hadoop.util.RunJar", directory, options);
  }

  /**
   * On stock's jars and Sluice's, started as {@code ./sluice run} does, with nothing else
   * configured than the command says.
   *
   * @param jvmOptions its heap, and what else it needs
   */
  public static LocalJobClient ofOneProcess(
      Workspace workspace,
      HadoopDistribution distribution,
      Path engineJar,
      Path directory,
      List<String> jvmOptions) {
    List<String> options = new ArrayList<>(workspace.oneProcessOptions());
    options.addAll(jvmOptions);
    return ofJars(distribution, List.of(engineJar), directory, options);
  }

  /** On stock's jars and some more, with nothing configured. */
  public static LocalJobClient ofJars(
      HadoopDistribution distribution, List<Path> jars, Path directory, List<String> jvmOptions) {
    return hadoop(distribution, Optional.empty(), jars, directory, jvmOptions);
  }

  /**
   * A client of a cluster, with the configuration in that directory.
   *
   * @param jars what {@code HADOOP_CLASSPATH} has
   */
  public static LocalJobClient ofCluster(
      HadoopDistribution distribution,
      Path conf,
      List<Path> jars,
      Path directory,
      List<String> jvmOptions) {
    return hadoop(distribution, Optional.of(conf), jars, directory, jvmOptions);
  }

  /** Spark without a cluster; arguments are those of {@code spark-submit} before the jar. */
  public static LocalJobClient ofSpark(
      SparkDistribution spark, Path directory, List<String> jvmOptions) {
    return new LocalJobClient(
        List.of(),
        List.of(spark.home().resolve("jars") + "/*"),
        "org.apache.spark.deploy.SparkSubmit",
        directory,
        jvmOptions);
  }

  /**
   * The same with all threads of a process on one processor, the collector's and the compiler's
   * too.
   *
   * @param processor its number
   * @param ownDirectory as another client has one
   */
  public LocalJobClient onProcessor(int processor, Path ownDirectory) {
    List<String> pinned = List.of("taskset", "-c", Integer.toString(processor));
    return new LocalJobClient(pinned, classPath, launcher, ownDirectory, jvmOptions);
  }

  /** The output of the last process. */
  public Path log() {
    return directory.resolve("log-" + runs);
  }

  /** Runs a jar to its end, and says what the process took. */
  public ProcessCosts run(Path jar, List<String> arguments) {
    return run(List.of(), jar, arguments);
  }

  /** The same with arguments of the launcher before the jar. */
  public ProcessCosts run(List<String> options, Path jar, List<String> arguments) {
    runs++;
    Path costs = directory.resolve("costs-" + runs);
    List<String> entries = new ArrayList<>(classPath);
    entries.add(classesOfThis());
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", String.join(":", entries)));
    command.addAll(List.of(MeasuredMain.class.getName(), costs.toString(), launcher));
    command.addAll(options);
    command.add(jar.toString());
    command.addAll(arguments);
    long startNs = System.nanoTime();
    run(command);
    long wallMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
    try {
      return ProcessCosts.read(costs, wallMs);
    } catch (IOException e) {
      throw new ClusterException(
          "it did not write what it took; it said:\n" + LogTail.of(log(), TAIL_LINES), e);
    }
  }

  private static String classesOfThis() {
    return Path.of(MeasuredMain.class.getProtectionDomain().getCodeSource().getLocation().getPath())
        .toString();
  }

  private void run(List<String> command) {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log().toFile());
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
        throw new ClusterException(
            "%s ended with %d:%n%s"
                .formatted(
                    String.join(" ", command), process.exitValue(), LogTail.of(log(), TAIL_LINES)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while a job ran");
    }
  }

  /**
   * The costs of a whole process, from its start to its end.
   *
   * @param wallMs time
   * @param cpuMs processor time of all of its threads, garbage collection and compilation too
   * @param gcMs time that the program stood still for garbage collection, and of its concurrent
   *     phases
   * @param gcCpuMs processor time of the collector's threads, and of the one that runs what a
   *     collection does alone, which has little else to do: rather too much
   * @param readBytes from disks
   * @param writtenBytes to disks, those too that were still to be written at its end
   * @param peakRssBytes most memory that was resident, mapped files and shared memory too
   */
  public record ProcessCosts(
      long wallMs,
      long cpuMs,
      long gcMs,
      long gcCpuMs,
      long readBytes,
      long writtenBytes,
      long peakRssBytes) {

    /** Reads the file of {@link MeasuredMain}. */
    static ProcessCosts read(Path file, long wallMs) throws IOException {
      Properties costs = new Properties();
      try (Reader in = Files.newBufferedReader(file)) {
        costs.load(in);
      }
      return new ProcessCosts(
          wallMs,
          Long.parseLong(costs.getProperty("cpuMs")),
          Long.parseLong(costs.getProperty("gcMs")),
          Long.parseLong(costs.getProperty("gcCpuMs")),
          Long.parseLong(costs.getProperty("readBytes")),
          Long.parseLong(costs.getProperty("writtenBytes")),
          Long.parseLong(costs.getProperty("peakRssKb")) << 10);
    }
  }
}
