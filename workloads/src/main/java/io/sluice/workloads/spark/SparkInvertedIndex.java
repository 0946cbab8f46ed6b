package io.sluice.workloads.spark;

import io.sluice.workloads.text.Document;
import io.sluice.workloads.text.InvertedIndex;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** {@code invertedindex}: documents, output. */
final class SparkInvertedIndex {
  private SparkInvertedIndex() {}

  static void run(JavaSparkContext context, String[] arguments) {
    context
        .textFile(arguments[0])
        .flatMapToPair(SparkInvertedIndex::postings)
        .groupByKey()
        .map(word -> word._1() + "\t" + sorted(word._2()))
        .saveAsTextFile(arguments[1]);
  }

  private static Iterator<Tuple2<String, String>> postings(String line) {
    Document document = Document.parse(line);
    return document.counts().entrySet().stream()
        .map(
            count ->
                new Tuple2<>(
                    count.getKey(), InvertedIndex.posting(document.name(), count.getValue())))
        .iterator();
  }

  private static String sorted(Iterable<String> postings) {
    List<String> all = new ArrayList<>();
    postings.forEach(all::add);
    all.sort(null);
    return String.join(" ", all);
  }
}
