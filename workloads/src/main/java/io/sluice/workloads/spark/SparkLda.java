package io.sluice.workloads.spark;

import io.sluice.workloads.learn.TopicInference;
import io.sluice.workloads.learn.TopicModel;
import io.sluice.workloads.run.Longs;
import io.sluice.workloads.text.Document;
import java.util.Iterator;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import scala.Tuple2;

/** {@code lda}: documents, output, topics, rounds. The documents stay in memory. */
final class SparkLda {
  private SparkLda() {}

  static void run(JavaSparkContext context, String[] arguments) {
    int topics = Integer.parseInt(arguments[2]);
    int rounds = Integer.parseInt(arguments[3]);
    JavaRDD<String> documents = context.textFile(arguments[0]).cache();
    TopicModel model = TopicModel.unknown(topics);
    for (int round = 1; round < rounds; round++) {
      model = TopicModel.of(topics, counts(context, documents, model).collectAsMap());
    }
    counts(context, documents, model)
        .map(word -> word._1() + "\t" + Longs.format(word._2()))
        .saveAsTextFile(arguments[1]);
  }

  private static JavaPairRDD<String, long[]> counts(
      JavaSparkContext context, JavaRDD<String> documents, TopicModel model) {
    Broadcast<TopicModel> everywhere = context.broadcast(model);
    return documents
        .flatMapToPair(line -> counts(everywhere.value(), line))
        .reduceByKey(Longs::sum);
  }

  private static Iterator<Tuple2<String, long[]>> counts(TopicModel model, String line) {
    return TopicInference.counts(model, Document.parse(line)).entrySet().stream()
        .map(word -> new Tuple2<>(word.getKey(), word.getValue()))
        .iterator();
  }
}
