package io.sluice.workloads.spark;

import java.util.Collections;
import java.util.StringTokenizer;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** {@code wordcount}: text, output. */
final class SparkWordCount {
  private SparkWordCount() {}

  static void run(JavaSparkContext context, String[] arguments) {
    context
        .textFile(arguments[0])
        .flatMapToPair(
            line ->
                Collections.list(new StringTokenizer(line)).stream()
                    .map(word -> new Tuple2<>((String) word, 1L))
                    .iterator())
        .reduceByKey(Long::sum)
        .map(count -> count._1() + "\t" + count._2())
        .saveAsTextFile(arguments[1]);
  }
}
