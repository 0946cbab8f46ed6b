package io.sluice.it.foreign;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.foreign.ForeignOutput.CounterDifference;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The programs of {@code it-tests/foreign}, each a directory with what it runs and, if it needs
 * any, a list of released jars; those for Spark have one directory. Immutable.
 */
public enum ForeignProgram {
  HIVE(
      "Apache Hive 3.1.3 on MapReduce, 18 queries (3 on YARN)",
      Set.of(Trait.CORE, Trait.CLUSTER, Trait.SHORT)) {
    @Override
    List<CounterDifference.Cause> causesInOneProcess() {
      return List.of(
          new CounterDifference.Cause(
              "File Input Format Counters: Bytes Read",
              16 << 10,
              "maps count the bytes of the query's plan, which LocalJobRunner's first map finds in the"
                  + " client's memory, and whose paths differ in length"));
    }
  },
  AVRO("Avro 1.11.5's MapReduce, both interfaces", Set.of(Trait.CORE, Trait.CLUSTER)),
  PARQUET("Parquet 1.17.0's MapReduce, of Avro's records", Set.of(Trait.CORE, Trait.CLUSTER)),
  ORC("ORC 2.3.0's MapReduce, its structs as keys", Set.of(Trait.CORE, Trait.CLUSTER)),
  STREAMING("Hadoop streaming 3.4.2 with typed bytes", Set.of()),
  CRUNCH("Crunch 0.15.0, a pipeline of several jobs", Set.of()),
  HBASE("HBase 2.5.10's importer and bulk load, without a running HBase", Set.of()) {
    @Override
    List<CounterDifference.Cause> causesInOneProcess() {
      String why =
          "HFiles hold the name of the attempt that wrote them, which is shorter by LocalJobRunner";
      return List.of(
          new CounterDifference.Cause("File Output Format Counters: Bytes Written", 200, why),
          new CounterDifference.Cause("File Input Format Counters: Bytes Read", 200, why));
    }
  },
  DISTCP("Hadoop's distcp 3.5.0, six copies", Set.of()),
  MAHOUT("Apache Mahout 0.13.0's recommender, and naive Bayes from texts", Set.of()),
  PIG("Pig 0.17.0, a script like its tutorial's", Set.of()),
  SPARK_MLLIB("Spark's MLlib: ALS and Word2Vec", Set.of(Trait.SPARK)),
  SPARK_GRAPHX("Spark's GraphX, four algorithms", Set.of(Trait.SPARK)),
  SPARK_STREAMING("Spark's streaming with state, three queries", Set.of(Trait.SPARK)),
  SPARK_PYTHON_MLLIB(
      "Spark's MLlib from PySpark: ALS and Word2Vec", Set.of(Trait.SPARK, Trait.PYTHON)),
  SPARK_PYTHON_UDFS(
      "PySpark's functions of pandas 2.3.3 and Arrow 22.0.0, eight queries",
      Set.of(Trait.SPARK, Trait.PYTHON)),
  SPARK_DELTA(
      "Delta Lake 4.4.0 on Spark: merges and compaction, with deletion vectors and without",
      Set.of(Trait.SPARK, Trait.JARS));

  private enum Trait {
    CORE,
    CLUSTER,
    SHORT,
    SPARK,
    PYTHON,
    JARS
  }

  private final String title;
  private final Set<Trait> traits;

  ForeignProgram(String title, Set<Trait> traits) {
    this.title = title;
    this.traits = traits;
  }

  /** The program and its version. */
  public String title() {
    return title;
  }

  /** Whether every test run has it. */
  public boolean isCore() {
    return traits.contains(Trait.CORE);
  }

  /** Whether it runs on a cluster too. */
  public boolean runsOnCluster() {
    return traits.contains(Trait.CLUSTER);
  }

  /** Whether a part of it may be run alone: in every test run, and on a cluster. */
  boolean hasShortRun() {
    return traits.contains(Trait.SHORT);
  }

  /** Whether it is for Spark, which is there already. */
  boolean isOfSpark() {
    return traits.contains(Trait.SPARK);
  }

  /** Whether it is for Spark and written in Python, for which there must be one. */
  boolean isOfPython() {
    return traits.contains(Trait.PYTHON);
  }

  /** Whether it needs released jars: all but Spark's own. */
  boolean hasJars() {
    return !isOfSpark() || traits.contains(Trait.JARS);
  }

  /** Why counters differ in one process, where they do. */
  List<CounterDifference.Cause> causesInOneProcess() {
    return List.of();
  }

  /** Where its files are. */
  Path directory(Workspace workspace) {
    return workspace.root().resolve("it-tests/foreign").resolve(directoryName());
  }

  /** The main class of one for Spark, unless it is of Python: that of its name. */
  String sparkClass() {
    String rest = name().substring("SPARK_".length());
    return "foreign.spark." + rest.charAt(0) + rest.substring(1).toLowerCase(Locale.ROOT);
  }

  /** The file that {@code spark-submit} runs of a program in Python. */
  Path pythonFile(Workspace workspace) {
    String rest = name().substring("SPARK_PYTHON_".length());
    return directory(workspace).resolve("python/" + rest.toLowerCase(Locale.ROOT) + ".py");
  }

  /** The directory's name. */
  String directoryName() {
    return isOfSpark() ? "spark" : name().toLowerCase(Locale.ROOT);
  }
}
