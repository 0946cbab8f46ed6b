package io.sluice.it.spark.jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.StorageLevels;
import scala.Tuple2;

/**
 * The workloads on RDDs. Each gives the rows of its result; nothing runs before these are read,
 * except the rounds of {@link #transitiveClosure}.
 */
final class RddWorkloads {
  private static final int HOT_KEY_PERCENT = 90;
  private static final int FEW_KEYS = 3;
  private static final int WIDE_INPUT_PARTITIONS = 4;
  private static final int WIDE_READERS = 8;
  private static final int LARGE_VALUE_CHARS = 3 << 20;
  private static final int ROUNDS = 3;
  private static final long FIRST_RANK = 1_000_000;

  private final JavaSparkContext context;
  private final ShuffleArguments arguments;

  RddWorkloads(JavaSparkContext context, ShuffleArguments arguments) {
    this.context = context;
    this.arguments = arguments;
  }

  /** Made-up rows; the sides of a workload with two of them differ. */
  JavaPairRDD<Long, String> rows(int side, int hotKeyPercent) {
    ShuffleArguments sided =
        new ShuffleArguments(
            arguments.workload(),
            arguments.rows(),
            arguments.partitions(),
            arguments.seed() + side);
    return indices(arguments.partitions())
        .flatMapToPair(index -> new SeededRows(sided, index, hotKeyPercent));
  }

  /** The numbers of the given number of partitions, one in each. */
  JavaRDD<Integer> indices(int partitions) {
    return context.parallelize(IntStream.range(0, partitions).boxed().toList(), partitions);
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

  JavaRDD<ResultRow> skewedGroups() {
    return rows(0, HOT_KEY_PERCENT)
        .groupByKey(arguments.partitions())
        .map(group -> ResultRow.of(group._1(), ResultRow.hash(group._2())));
  }

  JavaRDD<ResultRow> fewKeys() {
    return rows(0, 0)
        .filter(row -> row._1() < FEW_KEYS)
        .groupByKey(arguments.partitions())
        .map(group -> ResultRow.of(group._1(), ResultRow.hash(group._2())));
  }

  /** Input and readers are few whatever the number of partitions. */
  JavaRDD<ResultRow> wide() {
    ShuffleArguments narrow =
        new ShuffleArguments(
            arguments.workload(), arguments.rows(), WIDE_INPUT_PARTITIONS, arguments.seed());
    return indices(WIDE_INPUT_PARTITIONS)
        .flatMapToPair(index -> new SeededRows(narrow, index, 0))
        .partitionBy(new HashPartitioner(arguments.partitions()))
        .coalesce(Math.min(WIDE_READERS, arguments.partitions()))
        .map(row -> ResultRow.of(row._1(), ResultRow.hash(row._2())));
  }

  JavaRDD<ResultRow> largeRecords() {
    ShuffleArguments given = arguments;
    return indices(arguments.partitions())
        .flatMapToPair(index -> new SeededRows(given, index, 0, LARGE_VALUE_CHARS))
        .partitionBy(new HashPartitioner(arguments.partitions()))
        .map(row -> ResultRow.of(row._1(), ResultRow.hash(row._2())));
  }

  /** In rounds, each over the result of the one before, along the edges of a random graph. */
  JavaRDD<ResultRow> pageRank() {
    JavaPairRDD<Long, Iterable<Long>> links =
        edges().groupByKey(arguments.partitions()).persist(StorageLevels.MEMORY_ONLY);
    JavaPairRDD<Long, Long> ranks = links.mapValues(targets -> FIRST_RANK);
    for (int round = 0; round < ROUNDS; round++) {
      ranks =
          links
              .join(ranks)
              .values()
              .flatMapToPair(
                  vertex -> {
                    List<Long> targets = new ArrayList<>();
                    vertex._1().forEach(targets::add);
                    long share = vertex._2() / targets.size();
                    return targets.stream().map(to -> new Tuple2<>(to, share)).iterator();
                  })
              .reduceByKey(Long::sum, arguments.partitions())
              .mapValues(sum -> FIRST_RANK * 15 / 100 + sum * 85 / 100);
    }
    return ranks.map(rank -> ResultRow.of(rank._1(), rank._2()));
  }

  /** In rounds, as {@link #pageRank}, until one finds nothing new. */
  JavaRDD<ResultRow> transitiveClosure() {
    int partitions = arguments.partitions();
    JavaPairRDD<Long, Long> edges = edges();
    JavaPairRDD<Long, Long> towards =
        edges
            .mapToPair(edge -> new Tuple2<>(edge._2(), edge._1()))
            .persist(StorageLevels.MEMORY_ONLY);
    JavaPairRDD<Long, Long> paths = edges;
    long before;
    long now = 0;
    do {
      before = now;
      JavaPairRDD<Long, Long> longer =
          paths
              .join(towards, partitions)
              .mapToPair(middle -> new Tuple2<>(middle._2()._2(), middle._2()._1()));
      paths = paths.union(longer).distinct(partitions).persist(StorageLevels.MEMORY_ONLY);
      now = paths.count();
    } while (now > before);
    return paths.map(path -> ResultRow.of(path._1(), path._2()));
  }

  /** As many edges as rows, some of them more than once, between a tenth as many vertices. */
  private JavaPairRDD<Long, Long> edges() {
    long vertices = SeededRows.distinctKeys(arguments.rows());
    return rows(0, 0)
        .mapValues(value -> Math.floorMod(ResultRow.hash(value), vertices))
        .distinct(arguments.partitions());
  }
}
