package foreign.spark;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** A table of Delta Lake that changes are merged into, with and without deletion vectors. */
public final class Delta {
  private static final String MERGE =
      """
      MERGE INTO %s t USING (
        SELECT id * %d %% 60000 AS id, 'r' || id %% 5 AS region, id * 7 %% 1013 AS amount,
          CASE id %% 4 WHEN 0 THEN 'd' ELSE 'u' END AS op
        FROM range(6000)) s
      ON t.id = s.id
      WHEN MATCHED AND s.op = 'd' THEN DELETE
      WHEN MATCHED THEN UPDATE SET amount = t.amount + s.amount, round = %d
      WHEN NOT MATCHED AND s.op = 'u' THEN INSERT (id, region, amount, round)
        VALUES (s.id, s.region, s.amount, %d)
      WHEN NOT MATCHED BY SOURCE AND t.id %% 997 = %d THEN DELETE
      """;

  /** From one changed row to the next, by round; prime to the number of rows they may be of. */
  private static final int[] STEPS = {1, 11, 13, 17, 19};

  private Delta() {}

  /** Where to write. */
  public static void main(String[] arguments) throws Exception {
    Path out = Files.createDirectories(Path.of(arguments[0]));
    SparkSession spark =
        SparkSession.builder()
            .appName("Delta Lake")
            .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
            .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
            .config("spark.sql.shuffle.partitions", 4)
            .config("spark.databricks.delta.snapshotPartitions", 2)
            .getOrCreate();
    for (boolean vectors : List.of(false, true)) {
      String name = vectors ? "vectors" : "rewritten";
      String table = "delta.`" + out.resolveSibling(name).toUri() + "`";
      List<String> lines = change(spark, table, vectors);
      Files.write(out.resolve(name), lines);
    }
    spark.stop();
  }

  private static List<String> change(SparkSession spark, String table, boolean vectors) {
    spark.sql(
        "CREATE TABLE " + table + " (id BIGINT, region STRING, amount BIGINT, round INT)"
            + " USING delta PARTITIONED BY (region)"
            + " TBLPROPERTIES ('delta.enableDeletionVectors' = '" + vectors + "')");
    spark.sql(
        "INSERT INTO " + table
            + " SELECT id, 'r' || id % 5, id * 31 % 1009, 0 FROM range(0, 40000, 1, 3)");
    for (int round = 1; round <= 3; round++) {
      merge(spark, table, round);
    }
    spark.sql("UPDATE " + table + " SET amount = -amount WHERE id % 101 = 3");
    spark.sql("DELETE FROM " + table + " WHERE amount BETWEEN 400 AND 420");
    spark.sql("OPTIMIZE " + table + " ZORDER BY (amount, id)");
    merge(spark, table, 4);
    List<String> lines = new ArrayList<>();
    add(lines, spark.sql("SELECT * FROM " + table + " ORDER BY id, region"));
    add(
        lines,
        spark.sql(
            "SELECT region, count(*), sum(amount), max(round) FROM " + table
                + " VERSION AS OF 3 GROUP BY region ORDER BY region"));
    add(
        lines,
        spark
            .sql("DESCRIBE HISTORY " + table)
            .selectExpr(
                "version",
                "operation",
                "operationMetrics['numTargetRowsInserted']",
                "operationMetrics['numTargetRowsUpdated']",
                "operationMetrics['numTargetRowsDeleted']",
                "operationMetrics['numUpdatedRows']",
                "operationMetrics['numDeletedRows']")
            .orderBy("version"));
    return lines;
  }

  private static void merge(SparkSession spark, String table, int round) {
    spark.sql(MERGE.formatted(table, STEPS[round], round, round, round));
  }

  private static void add(List<String> lines, Dataset<Row> rows) {
    rows.collectAsList().forEach(row -> lines.add(row.mkString(" ")));
  }
}
