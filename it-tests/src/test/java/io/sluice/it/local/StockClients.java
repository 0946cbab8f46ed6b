package io.sluice.it.local;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sluice.it.cluster.ClusterSiteXml;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.LogTail;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Stock programs, each in a JVM of its own on one release's jars and the one jar of Sluice, in a
 * directory that has their settings.
 */
final class StockClients {
  private static final long DEADLINE_S = 600;
  private static final int TAIL_LINES = 40;
  private static final int LINES = 300;

  private final Workspace workspace = Workspace.find();
  private final HadoopDistribution distribution;
  private final Path directory;
  private final Path conf;
  private int runs;

  StockClients(HadoopDistribution distribution, Path directory, Map<String, String> settings)
      throws IOException {
    this.distribution = distribution;
    this.directory = directory;
    this.conf = Files.createDirectories(directory.resolve("conf"));
    Map<String, String> all = new TreeMap<>(settings);
    all.put("hadoop.tmp.dir", directory.resolve("tmp").toString());
    all.put("sluice.local.memory-mb", "256");
    // Last of all, or what Hadoop calls its defaults comes after them.
    ClusterSiteXml.write(conf.resolve("mapred-site.xml"), all);
    ClusterSiteXml.write(conf.resolve("core-site.xml"), Map.of("fs.defaultFS", "file:///"));
    Path input = Files.createDirectories(directory.resolve("in"));
    for (int file = 0; file < 2; file++) {
      StringBuilder text = new StringBuilder();
      for (int line = file; line < LINES; line++) {
        text.append("word%d k%d %d%n".formatted(line % 37, line % 11, line));
      }
      Files.writeString(input.resolve("file" + file), text);
    }
  }

  Workspace workspace() {
    return workspace;
  }

  Path examplesJar() {
    return distribution.examplesJar();
  }

  /** Of the release's time: 3.3 has an older library for its arguments. */
  Path streamingJar() {
    String version = distribution.version().startsWith("3.3.") ? "3.3.5" : "3.4.2";
    return workspace
        .root()
        .resolve("it-tests/clients/target/streaming/lib/hadoop-streaming-" + version + ".jar");
  }

  /** {@code hadoop jar}; returns what it said. */
  String jar(int status, Path jar, String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of(jar.toString()));
    all.addAll(List.of(arguments));
    return run(status, "", "org.apache.hadoop.util.RunJar", all);
  }

  /** {@code pig}. */
  String pig(Path script) throws IOException {
    return run(
        0,
        pigLibraries() + "/*:",
        "org.apache.pig.Main",
        List.of("-x", "mapreduce", script.toString()));
  }

  private Path pigLibraries() {
    return workspace.root().resolve("it-tests/clients/target/pig/lib");
  }

  /** The jars that functions for Pig are compiled with: the compiler knows no asterisks. */
  String pigClassPath() throws IOException {
    StringJoiner jars = new StringJoiner(":");
    for (Path directory : List.of(pigLibraries(), examplesJar().getParent())) {
      try (Stream<Path> files = Files.list(directory)) {
        files.map(Path::toString).filter(file -> file.endsWith(".jar")).forEach(jars::add);
      }
    }
    return jars.toString();
  }

  /** {@code mapred job}. */
  String mapredJob(String... arguments) throws IOException {
    return run(0, "", "org.apache.hadoop.mapred.JobClient", List.of(arguments));
  }

  private String run(int status, String before, String mainClass, List<String> arguments)
      throws IOException {
    Path log = directory.resolve("log-" + ++runs);
    Process process = start(before, mainClass, arguments, log);
    try {
      if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
        throw new AssertionError("does not end: " + arguments + LogTail.of(log, TAIL_LINES));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    } finally {
      process.destroyForcibly();
    }
    if (process.exitValue() != status) {
      throw new AssertionError(
          arguments + " ended with " + process.exitValue() + ":\n" + LogTail.of(log, TAIL_LINES));
    }
    return Files.readString(log);
  }

  /** A program that its caller ends. */
  Process start(String mainClass, Path log) {
    return start("", mainClass, List.of(), log);
  }

  private Process start(String before, String mainClass, List<String> arguments, Path log) {
    Path engine = SluiceFragments.load(workspace).orElseThrow().jar();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-Xmx512m"));
    command.addAll(distribution.jvmOptions());
    command.add("-cp");
    command.add(before + String.join(":", conf.toString(), distribution.classPath(), "" + engine));
    command.add(mainClass);
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.directory(directory.toFile());
    builder.environment().keySet().removeIf(name -> name.matches("(HADOOP|YARN|HDFS|MAPRED)_.*"));
    try {
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + mainClass, e);
    }
  }

  /** The lines of each output below a directory, in order. */
  Map<String, List<String>> outputs(String name) throws IOException {
    Map<String, List<String>> all = new TreeMap<>();
    try (Stream<Path> found = Files.walk(directory.resolve(name))) {
      for (Path file : found.filter(Files::isRegularFile).toList()) {
        if (file.getFileName().toString().startsWith("part")) {
          String output = directory.resolve(name).relativize(file.getParent()).toString();
          all.computeIfAbsent(output, key -> new ArrayList<>())
              .addAll(Files.readAllLines(file, ISO_8859_1));
        }
      }
    }
    all.values().forEach(lines -> lines.sort(null));
    return all;
  }
}
