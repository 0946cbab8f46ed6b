package io.sluice.it.spark.jobs;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;

/** The workloads on RDDs. Each gives the rows of its result; nothing runs before these are read. */
final class RddWorkloads {
  private final JavaSparkContext context;
  private final ShuffleArguments arguments;

  RddWorkloads(JavaSparkContext context, ShuffleArguments arguments) {
    this.context = context;
    this.arguments = arguments;
  }

  /** Made-up rows; the sides of a workload with two of them differ. */
  JavaPairRDD<Long, String> rows(int side, int hotKeyPercent) {
    int partitions = arguments.partitions();
    ShuffleArguments sided =
        new ShuffleArguments(
            arguments.workload(), arguments.rows(), partitions, arguments.seed() + side);
    List<Integer> indices = IntStream.range(0, partitions).boxed().toList();
    return context
        .parallelize(indices, partitions)
        .flatMapToPair(index -> new SeededRows(sided, index, hotKeyPercent));
  }

  JavaRDD<ResultRow> repartition() {
    return rows(0, 0)
        .repartition(arguments.partitions())
        .map(row -> ResultRow.of(row._1(), ResultRow.hash(row._2())));
  }

  JavaRDD<ResultRow> sortByKey() {
    return rows(0, 0)
        .sortByKey(true, arguments.partitions())
        .map(row -> ResultRow.of(row._1(), ResultRow.hash(row._2())));
  }

  JavaRDD<ResultRow> groupByKey() {
    return rows(0, 0)
        .groupByKey(arguments.partitions())
        .map(group -> ResultRow.of(group._1(), ResultRow.hash(group._2())));
  }

  JavaRDD<ResultRow> reduceByKey() {
    return rows(0, 0)
        .mapValues(value -> ResultRow.hash(value))
        .reduceByKey(Long::sum, arguments.partitions())
        .map(sum -> ResultRow.of(sum._1(), sum._2()));
  }

  JavaRDD<ResultRow> cogroup() {
    return rows(0, 0)
        .cogroup(rows(1, 0), arguments.partitions())
        .map(
            both ->
                ResultRow.of(
                    both._1(), ResultRow.hash(both._2()._1()), ResultRow.hash(both._2()._2())));
  }
}
