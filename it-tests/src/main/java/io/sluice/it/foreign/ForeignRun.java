package io.sluice.it.foreign;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.ClusterSiteXml;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.LogTail;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.foreign.ForeignResult.Way;
import io.sluice.it.spark.SparkDistribution;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Runs one program twice, as stock runs it and by Sluice, each time in a new directory, for a
 * {@link ForeignResult#compare comparison}. Programs for Hadoop are run by {@code
 * it-tests/foreign/run}, those for Spark by {@link ForeignSparkRun}.
 *
 * <p>Not thread-safe. Its files lie below the directory that it is given, which its caller owns.
 * Failure: {@link ClusterException} if stock's run fails; if Sluice's does, a result that says so.
 */
public final class ForeignRun {
  private static final long DEADLINE_MIN = 15;
  private static final int TAIL_LINES = 25;

  /** Warnings, and what a job's client prints of its number and counters. */
  private static final String LOG4J =
      """
      log4j.rootLogger=WARN,console
      log4j.logger.org.apache.hadoop.mapreduce.Job=INFO
      log4j.logger.org.apache.hadoop.mapreduce.JobSubmitter=INFO
      log4j.appender.console=org.apache.log4j.ConsoleAppender
      log4j.appender.console.target=System.err
      log4j.appender.console.layout=org.apache.log4j.PatternLayout
      log4j.appender.console.layout.ConversionPattern=%d{HH:mm:ss} %p %c{1}: %m%n
      """;

  /** {@link ForeignResult#where} of runs on a cluster. */
  static final String YARN = "YARN";

  /** Names of directories. They are of one length: some programs' records hold their paths. */
  private static final String STOCK_PLACE = "stock_";

  private static final String SLUICE_PLACE = "sluice";
  private static final String ONE_PROCESS = "one process";
  private static final String FRAMEWORK = "mapreduce.framework.name";

  /** The program's jars, and the one of what drives it. */
  private record Libraries(Path jars, Path driver) {}

  private final Workspace workspace;
  private final ForeignProgram program;
  private final HadoopDistribution distribution;
  private final Path directory;
  private boolean shortened;

  /** Runs nothing yet. */
  public ForeignRun(Workspace workspace, ForeignProgram program, Path directory) {
    this.workspace = workspace;
    this.program = program;
    this.distribution = HadoopDistribution.underTest(workspace);
    this.directory = directory;
  }

  /** {@link ForeignResult#where} of what {@link #run} runs. */
  static String where(ForeignProgram program) {
    return program.isOfSpark() ? "Spark " + SparkDistribution.versionUnderTest() : ONE_PROCESS;
  }

  /** Why the program cannot run on this machine, in words; empty if it can. */
  static Optional<String> obstacle(ForeignProgram program) {
    return program.isOfPython() ? PythonPackages.obstacle("python3") : Optional.empty();
  }

  /** Where the program runs by itself: in one process, or on Spark. */
  public ForeignResult run() {
    return program.isOfSpark() ? onSpark() : inOneProcess();
  }

  /** The same, and of a program that {@link ForeignProgram#hasShortRun has one} a short run. */
  ForeignResult runShort() {
    shortened = program.hasShortRun();
    return run();
  }

  /** In one process: LocalJobRunner, then the engine. */
  private ForeignResult inOneProcess() {
    Libraries libraries = libraries();
    return ForeignResult.compare(
        program,
        ONE_PROCESS,
        program.causesInOneProcess(),
        new Way(
            () -> run(STOCK_PLACE, Map.of(FRAMEWORK, "local"), libraries),
            PrintedJobs::notByLocalJobRunner),
        new Way(
            () -> run(SLUICE_PLACE, Map.of(FRAMEWORK, "sluice"), libraries),
            PrintedJobs::notByEngine));
  }

  /**
   * A short run on a cluster that has Sluice, where a job takes half a minute: with Hadoop's
   * collector and shuffle, then with Sluice's.
   */
  public ForeignResult onCluster(PseudoCluster cluster) {
    shortened = program.hasShortRun();
    Libraries libraries = libraries();
    Map<String, String> ours = ClusterSiteXml.read(cluster.clientConf().resolve("mapred-site.xml"));
    Map<String, String> stock = new TreeMap<>(ours);
    stock.put(SluiceFragments.COLLECTOR_KEY, SluiceFragments.STOCK_COLLECTOR);
    stock.put(SluiceFragments.CONSUMER_KEY, SluiceFragments.STOCK_CONSUMER);
    return ForeignResult.compare(
        program,
        YARN,
        List.of(),
        new Way(() -> run(STOCK_PLACE, stock, libraries), PrintedJobs::notByStocksShuffle),
        new Way(() -> run(SLUICE_PLACE, ours, libraries), PrintedJobs::notBySluicesShuffle));
  }

  /** On Spark: by Spark's shuffle manager, then by Sluice's. */
  private ForeignResult onSpark() {
    ForeignSparkRun runs = new ForeignSparkRun(workspace, program, directory);
    return ForeignResult.compare(
        program,
        where(program),
        List.of(),
        new Way(() -> runs.byStock(STOCK_PLACE), none -> List.of()),
        new Way(() -> runs.bySluice(SLUICE_PLACE), none -> List.of()));
  }

  private Path driver(List<Path> libraries) {
    return ForeignDriver.compile(
        program.directory(workspace).resolve("src"), libraries, directory.resolve("driver"));
  }

  private Libraries libraries() {
    Path jars = ForeignJars.of(workspace, program);
    return new Libraries(jars, driver(List.of(jars, distribution.home().resolve("lib"))));
  }

  private ForeignOutput run(String way, Map<String, String> own, Libraries libraries) {
    Path place = create(directory.resolve(way));
    Path conf = create(place.resolve("conf"));
    Map<String, String> settings = new TreeMap<>(Map.of("fs.defaultFS", "file:///"));
    settings.putAll(own);
    settings.put("hadoop.tmp.dir", place.resolve("tmp").toString());
    settings.put("mapreduce.client.completion.pollinterval", "50");
    settings.put("mapreduce.client.progressmonitor.pollinterval", "50");
    for (String site : List.of("core-site.xml", "mapred-site.xml", "yarn-site.xml")) {
      ClusterSiteXml.write(conf.resolve(site), settings);
    }
    write(conf.resolve("log4j.properties"), LOG4J);
    Path work = create(place.resolve("work"));
    Path log = place.resolve("log");
    ProcessBuilder builder =
        new ProcessBuilder(
                "bash",
                program.directory(workspace).resolveSibling("run").toString(),
                program.directoryName())
            .directory(work.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().keySet().removeIf(name -> name.matches("(HADOOP|YARN|HDFS|MAPRED)_.*"));
    Path engine = SluiceFragments.load(workspace).orElseThrow().jar();
    builder
        .environment()
        .putAll(
            Map.of(
                "JAVA",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "HADOOP",
                String.join(":", conf.toString(), distribution.classPath(), engine.toString()),
                "SHORT",
                shortened ? "yes" : "",
                "JARS",
                libraries.jars.toString(),
                "DRIVER",
                libraries.driver.toString()));
    awaitEnd(builder, log);
    return ForeignOutput.read(work.resolve("out"), log);
  }

  private void awaitEnd(ProcessBuilder builder, Path log) {
    try {
      Process process = builder.start();
      try {
        if (!process.waitFor(DEADLINE_MIN, TimeUnit.MINUTES)) {
          throw new ClusterException(
              "%s still runs after %d min; the end of %s:%n%s"
                  .formatted(program, DEADLINE_MIN, log, LogTail.of(log, TAIL_LINES)));
        }
      } finally {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
      if (process.exitValue() != 0) {
        throw new ClusterException(
            "%s ended with %d; the end of %s:%n%s"
                .formatted(program, process.exitValue(), log, LogTail.of(log, TAIL_LINES)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + builder.command(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while " + program + " ran", e);
    }
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file, e);
    }
  }

  static Path create(Path made) {
    try {
      return Files.createDirectories(made);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make " + made, e);
    }
  }
}
