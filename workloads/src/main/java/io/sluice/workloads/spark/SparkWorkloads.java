package io.sluice.workloads.spark;

import io.sluice.workloads.graph.PageRank.Rank;
import io.sluice.workloads.input.GenerateDocuments.Document;
import io.sluice.workloads.input.GenerateGraph.Links;
import io.sluice.workloads.learn.KMeans.Centres;
import io.sluice.workloads.learn.TopicModel;
import io.sluice.workloads.run.Decimal;
import io.sluice.workloads.run.Longs;
import io.sluice.workloads.run.TextFiles;
import io.sluice.workloads.text.InvertedIndex;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.StringTokenizer;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import scala.Tuple2;

/**
 * Five of the programs as Spark's RDDs, with the same arguments, inputs, output lines and
 * arithmetic. It starts one by its name: {@code spark-submit --class
 * io.sluice.workloads.spark.SparkWorkloads workloads.jar NAME ARGS}.
 */
public final class SparkWorkloads {
  private static final Map<String, Named> PROGRAMS =
      new TreeMap<>(
          Map.of(
              "wordcount", new Named(2, SparkWorkloads::wordCount),
              "invertedindex", new Named(2, SparkWorkloads::invertedIndex),
              "kmeans", new Named(4, SparkWorkloads::kMeans),
              "pagerank", new Named(3, SparkWorkloads::pageRank),
              "lda", new Named(4, SparkWorkloads::lda)));

  private static final long[] NONE = {};

  private SparkWorkloads() {}

  /** Reads an input and writes an output. Thread contract: the driver's thread. */
  private interface SparkProgram {
    /** Runs with the arguments of the MapReduce program of the same name. */
    void run(JavaSparkContext context, String[] arguments) throws IOException;
  }

  private record Named(int arguments, SparkProgram program) {}

  public static void main(String[] all) throws IOException {
    Named named = all.length == 0 ? null : PROGRAMS.get(all[0]);
    if (named == null) {
      throw new IllegalArgumentException("The first argument must be one of " + PROGRAMS.keySet());
    }
    String[] arguments = Arrays.copyOfRange(all, 1, all.length);
    if (arguments.length != named.arguments()) {
      throw new IllegalArgumentException(
          all[0] + " has " + named.arguments() + " arguments, not " + arguments.length);
    }
    SparkConf conf = new SparkConf().setIfMissing("spark.app.name", all[0]);
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      named.program().run(context, arguments);
    }
  }

  /** Arguments: text, output. */
  private static void wordCount(JavaSparkContext context, String[] arguments) {
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

  /** Arguments: documents, output. */
  private static void invertedIndex(JavaSparkContext context, String[] arguments) {
    context
        .textFile(arguments[0])
        .flatMapToPair(SparkWorkloads::postings)
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

  /** Arguments: points, output, clusters, rounds. The points stay in memory. */
  private static void kMeans(JavaSparkContext context, String[] arguments) throws IOException {
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

  /** Arguments: documents, output, topics, rounds. The documents stay in memory. */
  private static void lda(JavaSparkContext context, String[] arguments) {
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
    return model.counts(Document.parse(line)).entrySet().stream()
        .map(word -> new Tuple2<>(word.getKey(), word.getValue()))
        .iterator();
  }

  /** Arguments: graph, output, rounds. The links stay in memory. */
  private static void pageRank(JavaSparkContext context, String[] arguments) {
    JavaPairRDD<Long, long[]> links =
        context
            .textFile(arguments[0])
            .flatMapToPair(SparkWorkloads::named)
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
              .flatMapToPair(SparkWorkloads::shares)
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

  /** The shares that a page gives, and 0 to itself, so that it is among the next ranks. */
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
