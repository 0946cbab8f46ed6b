package io.sluice.it.spark.jobs;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.StorageLevels;
import scala.Tuple2;

/**
 * Shuffles in rounds, each over the result of the one before, along the edges of a random graph.
 */
final class GraphWorkloads {
  private static final int ROUNDS = 3;
  private static final long FIRST_RANK = 1_000_000;

  private final RddWorkloads input;
  private final ShuffleArguments arguments;

  GraphWorkloads(RddWorkloads input, ShuffleArguments arguments) {
    this.input = input;
    this.arguments = arguments;
  }

  /** As many edges as rows, some of them more than once, between a tenth as many vertices. */
  private JavaPairRDD<Long, Long> edges() {
    long vertices = SeededRows.distinctKeys(arguments.rows());
    return input
        .rows(0, 0)
        .mapValues(value -> Math.floorMod(ResultRow.hash(value), vertices))
        .distinct(arguments.partitions());
  }

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
}
