package io.sluice.workloads.spark;

import io.sluice.workloads.graph.Links;
import io.sluice.workloads.graph.Rank;
import io.sluice.workloads.run.Decimal;
import java.util.Arrays;
import java.util.Iterator;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** {@code pagerank}: graph, output, rounds. The links stay in memory. */
final class SparkPageRank {
  private static final long[] NONE = {};

  private SparkPageRank() {}

  static void run(JavaSparkContext context, String[] arguments) {
    JavaPairRDD<Long, long[]> links =
        context
            .textFile(arguments[0])
            .flatMapToPair(SparkPageRank::named)
            .reduceByKey((some, others) -> some.length > 0 ? some : others)
            .cache();
    long pages = links.count();
    JavaPairRDD<Long, Long> ranks = links.mapValues(targets -> Rank.FIRST);
    for (int left = Integer.parseInt(arguments[2]); left > 0; left--) {
      JavaPairRDD<Long, Tuple2<long[], Long>> ranked = links.join(ranks).cache();
      long dangling =
          ranked
              .values()
              .map(page -> page._1().length == 0 ? page._2() : 0L)
              .fold(0L, Math::addExact);
      ranks =
          ranked
              .flatMapToPair(SparkPageRank::shares)
              .reduceByKey(Math::addExact)
              .mapValues(sum -> Rank.next(sum, dangling, pages));
    }
    ranks
        .map(rank -> rank._1() + "\t" + Decimal.NANO.format(rank._2()))
        .saveAsTextFile(arguments[1]);
  }

  /** Every page of a line; one that is only linked to may have no line. */
  private static Iterator<Tuple2<Long, long[]>> named(String line) {
    Links links = Links.parse(line);
    return Stream.concat(
            Stream.of(new Tuple2<>(links.vertex(), links.targets())),
            Arrays.stream(links.targets()).mapToObj(target -> new Tuple2<>(target, NONE)))
        .iterator();
  }

  /** What a page gives, and nothing to itself, so that it is among the next ranks. */
  private static Iterator<Tuple2<Long, Long>> shares(Tuple2<Long, Tuple2<long[], Long>> page) {
    long[] targets = page._2()._1();
    long rank = page._2()._2();
    return Stream.concat(
            Stream.of(new Tuple2<>(page._1(), 0L)),
            Arrays.stream(targets)
                .mapToObj(target -> new Tuple2<>(target, Rank.share(rank, targets.length))))
        .iterator();
  }
}
