package foreign.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.window;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.function.MapGroupsWithStateFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.KeyValueGroupedDataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.GroupState;
import org.apache.spark.sql.streaming.GroupStateTimeout;
import org.apache.spark.sql.streaming.Trigger;

/** Streams that keep a state from batch to batch: windows, distinct rows, and a function's own. */
public final class Streaming {
  private static final int FILES = 4;
  private static final int ROWS = 3_000;

  private Streaming() {}

  /** Where to write. */
  public static void main(String[] arguments) throws Exception {
    Path out = Files.createDirectories(Path.of(arguments[0]));
    Path input = Files.createDirectories(out.resolveSibling("input"));
    for (int file = 0; file < FILES; file++) {
      List<String> lines = new ArrayList<>();
      for (int row = 0; row < ROWS; row++) {
        int second = (file * ROWS + row) % 3600;
        lines.add(
            "k%d,%d,2026-01-01 00:%02d:%02d"
                .formatted((row * 7 + file) % 211, row % 50, second / 60, second % 60));
      }
      Files.write(input.resolve("file" + file), lines);
    }
    SparkSession spark =
        SparkSession.builder()
            .appName("streaming")
            .config("spark.sql.shuffle.partitions", 3)
            .config("spark.sql.session.timeZone", "UTC")
            .getOrCreate();
    Dataset<Row> events =
        spark
            .readStream()
            .schema("key string, value int, at timestamp")
            .option("maxFilesPerTrigger", 1)
            .csv(input.toUri().toString());
    Dataset<Row> windows =
        events
            .groupBy(window(col("at"), "10 minutes"), col("key"))
            .agg(count("*").as("rows"), sum("value").as("total"))
            .selectExpr("cast(window.start as string) as start", "key", "rows", "total");
    write(windows, "complete", out.resolve("windows"));
    write(events.dropDuplicates("key", "value").groupBy("key").count(), "complete", out.resolve("distinct"));
    KeyValueGroupedDataset<String, Row> byKey =
        events.groupByKey(
            (org.apache.spark.api.java.function.MapFunction<Row, String>) row -> row.getString(0),
            Encoders.STRING());
    MapGroupsWithStateFunction<String, Row, Long, String> seen =
        (key, rows, state) -> {
          long all = before(state);
          while (rows.hasNext()) {
            all += rows.next().getInt(1);
          }
          state.update(all);
          return key + " " + all;
        };
    Dataset<String> states =
        byKey.mapGroupsWithState(
            seen, Encoders.LONG(), Encoders.STRING(), GroupStateTimeout.NoTimeout());
    write(states.toDF("line"), "update", out.resolve("states"));
    spark.stop();
  }

  private static long before(GroupState<Long> state) {
    return state.exists() ? state.get() : 0;
  }

  /** Runs a stream to the end of its input, and writes the rows of its last or of all batches. */
  private static void write(Dataset<Row> stream, String mode, Path file) throws Exception {
    List<String> lines = new ArrayList<>();
    stream
        .writeStream()
        .outputMode(mode)
        .trigger(Trigger.AvailableNow())
        .option("checkpointLocation", file.resolveSibling("../checkpoint-" + file.getFileName()).normalize().toUri().toString())
        .foreachBatch(
            (org.apache.spark.api.java.function.VoidFunction2<Dataset<Row>, Long>)
                (batch, id) -> {
                  if (mode.equals("complete")) {
                    lines.clear();
                  }
                  batch.collectAsList().forEach(row -> lines.add(row.mkString(" ")));
                })
        .start()
        .awaitTermination();
    lines.sort(null);
    Files.write(file, lines);
  }
}
