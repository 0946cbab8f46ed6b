package io.sluice.it.spark.jobs;

import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * The workloads on data frames, with adaptive execution. A query's shuffles run when its result is
 * asked for, its last stage when that is read.
 */
final class SqlWorkloads {
  private static final int HOT_KEY_PERCENT = 50;
  private static final long ROW_LENGTH_BYTES = 100; // about
  private static final String RIGHT_VALUE = "sha2(concat(id, ':', %d), 256)";
  private static final Pattern ADAPTIVE_READ = Pattern.compile("AQEShuffleRead ([a-z ]+)");
  private static final StructType SCHEMA =
      new StructType().add("key", DataTypes.LongType).add("value", DataTypes.StringType);

  private final SparkSession session;
  private final ShuffleArguments arguments;
  private final RddWorkloads input;
  private final SortedSet<String> adaptiveReads = new TreeSet<>();

  SqlWorkloads(SparkSession session, ShuffleArguments arguments, RddWorkloads input) {
    this.session = session;
    this.arguments = arguments;
    this.input = input;
    // A reduce task's share is twice that of a partition, so that small partitions are coalesced
    // and the hot key's is split, whatever the size of the input.
    String shareBytes =
        Long.toString(
            Math.max(1, 2 * arguments.rows() * ROW_LENGTH_BYTES / arguments.partitions()));
    set("spark.sql.shuffle.partitions", Integer.toString(arguments.partitions()));
    set("spark.sql.adaptive.enabled", "true");
    set("spark.sql.adaptive.coalescePartitions.parallelismFirst", "false");
    set("spark.sql.adaptive.advisoryPartitionSizeInBytes", shareBytes);
    set("spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", shareBytes);
    set("spark.sql.autoBroadcastJoinThreshold", "-1");
    set("spark.sql.adaptive.autoBroadcastJoinThreshold", "-1");
  }

  private void set(String key, String value) {
    session.conf().set(key, value);
  }

  JavaRDD<ResultRow> repartition() {
    return result(rows(0).repartition(arguments.partitions()), 1);
  }

  JavaRDD<ResultRow> sort() {
    return result(rows(0).orderBy("key"), 1);
  }

  JavaRDD<ResultRow> join() {
    Dataset<Row> right =
        session
            .range(0, SeededRows.distinctKeys(arguments.rows()), 1, arguments.partitions())
            .selectExpr("id AS key", RIGHT_VALUE.formatted(arguments.seed()) + " AS right");
    return result(rows(HOT_KEY_PERCENT).join(right, "key"), 2);
  }

  JavaRDD<ResultRow> lateBroadcast() {
    set("spark.sql.adaptive.autoBroadcastJoinThreshold", "10m");
    Dataset<Row> right =
        session
            .range(0, SeededRows.distinctKeys(arguments.rows()), 1, arguments.partitions())
            .filter("id % 10 = 0")
            .selectExpr("id AS key", RIGHT_VALUE.formatted(arguments.seed()) + " AS right");
    return result(rows(0).join(right, "key"), 2);
  }

  /** How the queries' final plans read their shuffles. */
  SortedSet<String> adaptiveReads() {
    return adaptiveReads;
  }

  private Dataset<Row> rows(int hotKeyPercent) {
    JavaRDD<Row> rows =
        input.rows(0, hotKeyPercent).map(row -> RowFactory.create(row._1(), row._2()));
    return session.createDataFrame(rows, SCHEMA);
  }

  /** Rows of a long key and a number of strings, as the engine has them: it reuses the objects. */
  private JavaRDD<ResultRow> result(Dataset<Row> rows, int values) {
    QueryExecution query = queryExecution(rows);
    JavaRDD<ResultRow> result =
        query
            .toRdd()
            .toJavaRDD()
            .map(
                row -> {
                  long[] hashes = new long[values];
                  for (int i = 0; i < values; i++) {
                    hashes[i] = ResultRow.hash(row.getUTF8String(i + 1).toString());
                  }
                  return ResultRow.of(row.getLong(0), hashes);
                });
    Matcher reads = ADAPTIVE_READ.matcher(query.executedPlan().toString());
    while (reads.find()) {
      adaptiveReads.add(reads.group(1));
    }
    return result;
  }

  /** By name: Spark 4 has it in a sub class of Dataset that Spark 3.5 lacks. */
  private static QueryExecution queryExecution(Dataset<Row> rows) {
    try {
      return (QueryExecution) rows.getClass().getMethod("queryExecution").invoke(rows);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("this Spark's Dataset is of another shape", e);
    }
  }
}
