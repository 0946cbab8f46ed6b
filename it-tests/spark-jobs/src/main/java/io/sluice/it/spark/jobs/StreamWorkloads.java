package io.sluice.it.spark.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.api.java.function.MapGroupsWithStateFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.streaming.GroupState;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.Trigger;
import scala.Tuple2;

/**
 * Queries over a stream of files, one in each batch, in the order of their names. Their state is
 * shuffled by key in every batch; a query has ended when its result is given.
 */
final class StreamWorkloads {
  private static final int BATCHES = 3;
  private static final String SINK = "sink";

  private final SparkSession session;
  private final ShuffleArguments arguments;

  StreamWorkloads(SparkSession session, ShuffleArguments arguments) {
    this.session = session;
    this.arguments = arguments;
  }

  /** How many rows a key has, and the sum of their hashes, after the last batch. */
  JavaRDD<ResultRow> aggregate() throws IOException, TimeoutException, StreamingQueryException {
    Path directory = Files.createTempDirectory("stream");
    return result(
        directory,
        rows(directory).groupBy("key").agg(functions.count("*"), functions.sum("hash")),
        "complete");
  }

  /** Rows and hashes of a key so far, in every batch in which there are some. */
  JavaRDD<ResultRow> state() throws IOException, TimeoutException, StreamingQueryException {
    Path directory = Files.createTempDirectory("stream");
    Encoder<Tuple2<Long, Long>> pair = Encoders.tuple(Encoders.LONG(), Encoders.LONG());
    Encoder<Tuple2<Long, Tuple2<Long, Long>>> keyed = Encoders.tuple(Encoders.LONG(), pair);
    Dataset<Row> states =
        rows(directory)
            .as(pair)
            .groupByKey((MapFunction<Tuple2<Long, Long>, Long>) Tuple2::_1, Encoders.LONG())
            .mapGroupsWithState(
                (MapGroupsWithStateFunction<
                        Long,
                        Tuple2<Long, Long>,
                        Tuple2<Long, Long>,
                        Tuple2<Long, Tuple2<Long, Long>>>)
                    (key, rows, state) -> new Tuple2<>(key, updated(rows, state)),
                pair,
                keyed)
            .selectExpr("_1", "_2._1", "_2._2 AS hashes");
    return result(directory, states, "update");
  }

  private static Tuple2<Long, Long> updated(
      Iterator<Tuple2<Long, Long>> rows, GroupState<Tuple2<Long, Long>> state) {
    long count = state.exists() ? state.get()._1() : 0;
    long hashes = state.exists() ? state.get()._2() : 0;
    while (rows.hasNext()) {
      hashes += rows.next()._2();
      count++;
    }
    Tuple2<Long, Long> next = new Tuple2<>(count, hashes);
    state.update(next);
    return next;
  }

  private Dataset<Row> rows(Path directory) throws IOException {
    Path input = Files.createDirectory(directory.resolve("input"));
    ShuffleArguments batches =
        new ShuffleArguments(arguments.workload(), arguments.rows(), BATCHES, arguments.seed());
    for (int batch = 0; batch < BATCHES; batch++) {
      List<String> lines = new ArrayList<>();
      new SeededRows(batches, batch, 0)
          .forEachRemaining(row -> lines.add(row._1() + "," + smallHash(row._2())));
      Path file = Files.write(input.resolve("batch-" + batch + ".csv"), lines);
      // Their order is that of these times, and two files may be written within one tick.
      Files.setLastModifiedTime(file, FileTime.from(batch + 1, TimeUnit.HOURS));
    }
    return session
        .readStream()
        .schema("key LONG, hash LONG")
        .option("maxFilesPerTrigger", 1)
        .csv(input.toUri().toString());
  }

  /** Sums of many of them fit into 64 bits, outside which SQL fails. */
  static long smallHash(String value) {
    return ResultRow.hash(value) >>> 32;
  }

  private JavaRDD<ResultRow> result(Path directory, Dataset<Row> query, String outputMode)
      throws TimeoutException, StreamingQueryException {
    query
        .writeStream()
        .outputMode(outputMode)
        .format("memory")
        .queryName(SINK)
        .option("checkpointLocation", directory.resolve("checkpoint").toUri().toString())
        .trigger(Trigger.AvailableNow())
        .start()
        .awaitTermination();
    return session
        .table(SINK)
        .toJavaRDD()
        .map(row -> ResultRow.of(row.getLong(0), row.getLong(1), row.getLong(2)));
  }
}
