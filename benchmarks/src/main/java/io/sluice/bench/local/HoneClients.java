package io.sluice.bench.local;

import io.sluice.bench.Comparison.Variant;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.local.LocalJobClient;
import io.sluice.it.local.LocalJobClient.ProcessCosts;
import io.sluice.it.report.Console;
import io.sluice.it.spark.SparkDistribution;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Runs programs of the module workloads as each variant does, over files of this machine: the
 * cluster's daemons read and write these, too, which is less than what HDFS costs them.
 *
 * <p>Not thread-safe. Ownership: the caller of {@link #open} closes them, which ends the cluster
 * and deletes all files.
 */
public final class HoneClients implements AutoCloseable {
  private static final long SPLIT_BYTES = 64L << 20; // the paper's
  private static final List<String> JVM_OPTIONS = List.of("-Xmx2g");

  /** The packages of those that bin/spark-submit opens which these programs need. */
  private static final List<String> SPARK_OPENS =
      List.of("java.lang", "java.lang.invoke", "java.io", "java.net", "java.nio", "java.util");

  private final LocalPlace place;
  private final Map<HoneVariant, LocalJobClient> clients = new EnumMap<>(HoneVariant.class);
  private PseudoCluster cluster;

  private HoneClients(LocalPlace place) {
    this.place = place;
    LocalJobClient oneProcess = place.client("process", JVM_OPTIONS);
    clients.put(HoneVariant.STOCK, oneProcess);
    clients.put(HoneVariant.SLUICE, oneProcess);
  }

  /** Opens the clients of some variants, with the cluster or the Spark that they need. */
  public static HoneClients open(Workspace workspace, Console console, Set<HoneVariant> variants) {
    HoneClients opened = new HoneClients(LocalPlace.open(workspace));
    try {
      if (variants.contains(HoneVariant.SPARK)) {
        opened.locateSpark();
      }
      if (variants.contains(HoneVariant.CLUSTER)) {
        opened.startCluster(workspace, console);
      }
      return opened;
    } catch (RuntimeException e) {
      opened.close();
      throw e;
    }
  }

  private void locateSpark() {
    SparkDistribution spark = SparkDistribution.locate(SparkDistribution.DEFAULT_VERSION);
    List<String> options = new ArrayList<>(JVM_OPTIONS);
    options.add("-XX:+UseParallelGC");
    SPARK_OPENS.forEach(name -> options.add("--add-opens=java.base/" + name + "=ALL-UNNAMED"));
    options.add("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");
    clients.put(HoneVariant.SPARK, LocalJobClient.ofSpark(spark, place.made("spark"), options));
  }

  private void startCluster(Workspace workspace, Console console) {
    ClusterSpec stock = ClusterSpec.of(place.hadoop());
    cluster = console.step("Starting Hadoop", () -> PseudoCluster.start(workspace, stock));
    clients.put(
        HoneVariant.CLUSTER,
        LocalJobClient.ofCluster(
            place.hadoop(),
            cluster.clientConf(),
            List.of(),
            place.made("cluster"),
            List.of("-Xmx384m")));
  }

  /** Writes an input of so many records, of that name here, and says where. */
  Path generate(String name, String generator, long records) {
    Path input = place.path("input-" + name);
    clients
        .get(HoneVariant.STOCK)
        .run(
            place.workloads(),
            List.of(generator, Long.toString(records), input.toUri().toString()));
    return input;
  }

  private Path output(String name, HoneVariant variant) {
    return place.path("output-" + name + "-" + variant);
  }

  /** Which lines a program has put out; they are deleted. */
  LinesDigest takeOutput(String program, HoneVariant variant) {
    Path output = output(program, variant);
    LinesDigest digest = LinesDigest.of(output);
    Workspace.delete(output);
    return digest;
  }

  /**
   * Runs a program to its end; its output stays until it is taken.
   *
   * @param settings of its jobs, which Spark does without
   * @param more its arguments behind input and output
   */
  ProcessCosts run(
      HoneVariant variant, String program, Map<String, ?> settings, Path input, List<String> more) {
    List<String> arguments = new ArrayList<>(List.of(program));
    if (variant != HoneVariant.SPARK) {
      settings.forEach((name, value) -> arguments.add("-D" + name + "=" + value));
      arguments.add("-Dmapreduce.input.fileinputformat.split.minsize=" + SPLIT_BYTES);
    }
    if (variant == HoneVariant.STOCK || variant == HoneVariant.SLUICE) {
      arguments.add(
          "-Dmapreduce.framework.name=" + (variant == HoneVariant.STOCK ? "local" : "sluice"));
      arguments.add(place.temporary());
    }
    arguments.add(input.toUri().toString());
    arguments.add(output(program, variant).toUri().toString());
    arguments.addAll(more);
    return clients
        .get(variant)
        .run(
            variant == HoneVariant.SPARK ? sparkSubmit() : List.of(), place.workloads(), arguments);
  }

  private List<String> sparkSubmit() {
    return List.of(
        "--master",
        "local[" + Runtime.getRuntime().availableProcessors() + "]",
        "--conf",
        "spark.ui.enabled=false",
        "--conf",
        "spark.local.dir=" + place.path("spark-local"),
        "--class",
        "io.sluice.workloads.spark.SparkWorkloads");
  }

  @Override
  public void close() {
    try (place) {
      if (cluster != null) {
        cluster.close();
      }
    }
  }

  /** The engine that runs a workload on one machine. */
  public enum HoneVariant implements Variant {
    /** A cluster of daemons on this machine, with stock's shuffle. */
    CLUSTER("pseudo-distributed"),
    STOCK("LocalJobRunner"),
    SLUICE("Sluice"),
    /** The same program over RDDs, with as many threads as cores. */
    SPARK("Spark local");

    private final String title;

    HoneVariant(String title) {
      this.title = title;
    }

    @Override
    public String title() {
      return title;
    }
  }

  /**
   * Which lines an output holds, in whatever order and files: engines partition differently.
   *
   * @param lines how many
   * @param sum of a hash of each
   */
  record LinesDigest(long lines, long sum) {
    private static final long PRIME = 0x100000001B3L; // FNV-1a's
    private static final long OFFSET = 0xCBF29CE484222325L;

    /** Digests all files below a directory but the marks of an engine. */
    static LinesDigest of(Path output) {
      long[] found = new long[2];
      try (Stream<Path> files = Files.walk(output)) {
        List<Path> parts =
            files
                .filter(Files::isRegularFile)
                .filter(file -> !file.getFileName().toString().matches("[._].*"))
                .toList();
        for (Path part : parts) {
          try (Stream<String> lines = Files.lines(part)) {
            lines.forEach(
                line -> {
                  found[0]++;
                  found[1] += hash(line);
                });
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + output, e);
      }
      if (found[0] == 0) {
        throw new ClusterException(output + " holds nothing");
      }
      return new LinesDigest(found[0], found[1]);
    }

    private static long hash(String line) {
      long hash = OFFSET;
      for (byte each : line.getBytes(StandardCharsets.UTF_8)) {
        hash = (hash ^ each) * PRIME;
      }
      return hash;
    }
  }
}
