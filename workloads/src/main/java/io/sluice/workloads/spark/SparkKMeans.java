package io.sluice.workloads.spark;

import io.sluice.workloads.learn.Centres;
import io.sluice.workloads.run.Longs;
import io.sluice.workloads.run.TextFiles;
import java.io.IOException;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** {@code kmeans}: points, output, clusters, rounds. The points stay in memory. */
final class SparkKMeans {
  private SparkKMeans() {}

  static void run(JavaSparkContext context, String[] arguments) throws IOException {
    Centres centres;
    try (Stream<String> lines =
        TextFiles.lines(context.hadoopConfiguration(), new Path(arguments[0]))) {
      centres = Centres.first(Integer.parseInt(arguments[2]), lines);
    }
    JavaRDD<long[]> points = context.textFile(arguments[0]).map(Centres::point).cache();
    for (int left = Integer.parseInt(arguments[3]); left > 0; left--) {
      Centres now = centres;
      centres =
          now.moved(
              points
                  .mapToPair(point -> new Tuple2<>(now.nearest(point), Centres.part(point)))
                  .reduceByKey(Longs::sum)
                  .collectAsMap());
    }
    context.parallelize(centres.lines(), 1).saveAsTextFile(arguments[1]);
  }
}
