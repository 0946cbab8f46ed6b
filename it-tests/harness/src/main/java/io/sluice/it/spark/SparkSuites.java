package io.sluice.it.spark;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.LogTail;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.TestReports;
import io.sluice.it.spark.suites.Evidence;
import io.sluice.it.spark.suites.ListedSuite;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs Spark's own published suites with Sluice's jar on the class path, each in a JVM of its own:
 * what {@code it-tests/spark-suites} has says which, and what is left out.
 *
 * <p>Not thread-safe. Its creator closes it, which kills the processes that a suite has left and
 * removes its files, but for the reports; see {@link SparkDirectory}.
 *
 * <p>Failure: in a suite's reports, also if its JVM ends without one or is not done in time.
 */
public final class SparkSuites implements AutoCloseable {
  private static final String MANAGER = "io.sluice.spark.SluiceShuffleManager";
  private static final String PROGRAM = "io.sluice.it.spark.suites.SuiteProgram";
  private static final Duration DEADLINE = Duration.ofMinutes(40);
  private static final int TAIL_LINES = 40;

  /** Executors take these up too, of which there are many short-lived ones. */
  private static final String QUICK_JVMS = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  /** The packages that Spark's own build opens for its tests. */
  private static final List<String> OPENED =
      List.of(
          "java.lang",
          "java.lang.invoke",
          "java.lang.reflect",
          "java.io",
          "java.net",
          "java.nio",
          "java.util",
          "java.util.concurrent",
          "java.util.concurrent.atomic",
          "jdk.internal.ref",
          "sun.nio.ch",
          "sun.nio.cs",
          "sun.security.action",
          "sun.util.calendar");

  /** The rest of what Spark's own build gives to its tests. */
  private static final List<String> OPTIONS =
      List.of(
          "-Xmx4g",
          "-Xss8m",
          "-Djdk.reflect.useDirectMethodHandle=false",
          "-Dio.netty.tryReflectionSetAccessible=true",
          "-Djava.awt.headless=true",
          "-Dderby.system.durability=test",
          "-Dspark.testing=1",
          "-Dspark.ui.enabled=false",
          "-Dspark.ui.showConsoleProgress=false",
          "-Dspark.unsafe.exceptionOnMemoryLeak=true",
          "-Dspark.memory.debugFill=true",
          "-Dspark.hadoop.hadoop.security.key.provider.path=test:///",
          "-Dspark.shuffle.manager=" + MANAGER);

  private final SparkDirectory directory;
  private final Workspace workspace;

  /** The suites keep everything in a new directory, and reports in {@code suite-reports}. */
  public SparkSuites(Workspace workspace) {
    this.workspace = workspace;
    SparkDistribution spark = SparkDistribution.locate(SparkDistribution.DEFAULT_VERSION);
    this.directory = SparkDirectory.create(spark, workspace.sparkSuites().resolve("runs"));
  }

  /** Runs a suite to its end. */
  public SparkSuiteResult run(ListedSuite suite) {
    long startNs = System.nanoTime();
    Path place = directory.makePlace(suite.simpleName());
    Path log = place.resolve("stderr");
    Path evidence = place.resolve("evidence");
    try {
      Files.createDirectories(reports());
      Path report = reports().resolve("TEST-" + suite.className() + ".xml");
      Files.deleteIfExists(report);
      String fault =
          await(
              directory.start(
                  place,
                  command(suite, place),
                  Map.of(
                      "SPARK_TESTING",
                      "1",
                      "SPARK_SCALA_VERSION",
                      "2.13",
                      "JAVA_TOOL_OPTIONS",
                      QUICK_JVMS + " -Djava.io.tmpdir=" + place,
                      Evidence.VARIABLE,
                      evidence.toString()),
                  place.resolve("stdout"),
                  log));
      TestReports read =
          Files.exists(report) && fault.isEmpty()
              ? TestReports.of(report)
              : TestReports.ofFailure(
                  suite.className(),
                  fault + "; the end of its log:\n" + LogTail.of(log, TAIL_LINES));
      double seconds = (System.nanoTime() - startNs) / 1e9;
      return new SparkSuiteResult(suite, read, Evidence.read(evidence), seconds);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + suite.className(), e);
    }
  }

  private Path reports() {
    return workspace.sparkSuites().resolve("suite-reports");
  }

  private List<String> command(ListedSuite suite, Path place) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
    OPENED.forEach(name -> command.add("--add-opens=java.base/" + name + "=ALL-UNNAMED"));
    command.addAll(OPTIONS);
    command.add("-Dspark.test.home=" + place.resolve("home"));
    command.add("-cp");
    command.add(
        String.join(
            File.pathSeparator,
            workspace.sparkSuites().resolve("classes").toString(),
            workspace.sparkEngineJar().toString(),
            Files.readString(workspace.sparkSuites().resolve("suites.classpath")).strip()));
    command.addAll(List.of(PROGRAM, suite.className(), MANAGER, reports().toString()));
    return command;
  }

  /** Why the process did not end well; empty if it did. */
  private String await(Process process) {
    try {
      if (!process.waitFor(DEADLINE.toMillis(), TimeUnit.MILLISECONDS)) {
        return "not done after %d s".formatted(DEADLINE.toSeconds());
      }
      return process.exitValue() == 0 ? "" : "ended with exit status " + process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while running a suite", e);
    } finally {
      directory.endProcesses();
    }
  }

  @Override
  public void close() {
    directory.close();
  }

  /**
   * The result of one of Spark's suites.
   *
   * @param reports of its tests, and of the suite itself if it did not get as far
   * @param evidence of what shuffled
   */
  public record SparkSuiteResult(
      ListedSuite suite, TestReports reports, Evidence evidence, double seconds) {}
}
