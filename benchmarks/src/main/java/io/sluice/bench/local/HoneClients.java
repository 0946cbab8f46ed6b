package io.sluice.bench.local;

import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.local.LocalClient;
import io.sluice.it.local.ProcessCosts;
import io.sluice.it.spark.SparkDistribution;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Runs programs of the module workloads as each variant does, over files of this machine: the
 * cluster's daemons read and write these, too, which is less than what HDFS costs them.
 *
 * <p>Not thread-safe; cluster and directory are their caller's.
 */
public final class HoneClients {
  private static final long SPLIT_BYTES = 64L << 20; // the paper's
  private static final List<String> JVM_OPTIONS = List.of("-Xmx2g");

  /** Of what bin/spark-submit opens, what these programs need. */
  private static final List<String> SPARK_OPENS =
      List.of("java.lang", "java.lang.invoke", "java.io", "java.net", "java.nio", "java.util");

  private final Map<HoneVariant, LocalClient> clients = new EnumMap<>(HoneVariant.class);
  private final Path workloads;
  private final Path directory;

  /** All but Spark, with all files in that directory. */
  public HoneClients(Workspace workspace, PseudoCluster cluster, Path engineJar, Path directory) {
    this.workloads = workspace.workloadsJar();
    this.directory = directory;
    HadoopDistribution hadoop = cluster.spec().distribution();
    LocalClient oneProcess =
        LocalClient.ofOneProcess(workspace, hadoop, engineJar, made("process"), JVM_OPTIONS);
    clients.put(HoneVariant.STOCK, oneProcess);
    clients.put(HoneVariant.SLUICE, oneProcess);
    clients.put(
        HoneVariant.CLUSTER,
        LocalClient.ofCluster(
            hadoop, cluster.clientConf(), List.of(), made("cluster"), List.of("-Xmx384m")));
  }

  /** Spark, too. */
  public HoneClients with(SparkDistribution spark) {
    List<String> options = new ArrayList<>(JVM_OPTIONS);
    options.add("-XX:+UseParallelGC");
    SPARK_OPENS.forEach(name -> options.add("--add-opens=java.base/" + name + "=ALL-UNNAMED"));
    options.add("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");
    clients.put(HoneVariant.SPARK, LocalClient.ofSpark(spark, made("spark"), options));
    return this;
  }

  private Path made(String name) {
    Path made = directory.resolve(name);
    if (!made.toFile().mkdirs()) {
      throw new IllegalStateException("cannot make " + made);
    }
    return made;
  }

  /** Writes an input of so many records, of that name here, and says where. */
  Path generate(String name, String generator, long records) {
    Path input = directory.resolve("input-" + name);
    clients
        .get(HoneVariant.STOCK)
        .run(workloads, List.of(generator, Long.toString(records), input.toUri().toString()));
    return input;
  }

  Path output(String name, HoneVariant variant) {
    return directory.resolve("output-" + name + "-" + variant);
  }

  /**
   * Runs a program to its end.
   *
   * @param settings of its jobs, which Spark does without
   * @param more its arguments behind input and output
   */
  ProcessCosts run(
      HoneVariant variant,
      String program,
      Map<String, ?> settings,
      Path input,
      Path output,
      List<String> more) {
    List<String> arguments = new ArrayList<>(List.of(program));
    if (variant != HoneVariant.SPARK) {
      settings.forEach((name, value) -> arguments.add("-D" + name + "=" + value));
      arguments.add("-Dmapreduce.input.fileinputformat.split.minsize=" + SPLIT_BYTES);
    }
    if (variant == HoneVariant.STOCK || variant == HoneVariant.SLUICE) {
      arguments.add(
          "-Dmapreduce.framework.name=" + (variant == HoneVariant.STOCK ? "local" : "sluice"));
      arguments.add("-Dhadoop.tmp.dir=" + directory.resolve("tmp"));
    }
    arguments.add(input.toUri().toString());
    arguments.add(output.toUri().toString());
    arguments.addAll(more);
    return clients
        .get(variant)
        .run(variant == HoneVariant.SPARK ? sparkSubmit() : List.of(), workloads, arguments);
  }

  private List<String> sparkSubmit() {
    return List.of(
        "--master",
        "local[" + Runtime.getRuntime().availableProcessors() + "]",
        "--conf",
        "spark.ui.enabled=false",
        "--conf",
        "spark.local.dir=" + directory.resolve("spark-local"),
        "--class",
        "io.sluice.workloads.spark.SparkWorkloads");
  }
}
