package io.sluice.workloads.spark;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Starts a program by its name: {@code spark-submit --class
 * io.sluice.workloads.spark.SparkWorkloads workloads.jar NAME ARGS}.
 */
public final class SparkWorkloads {
  private static final Map<String, Named> PROGRAMS =
      new TreeMap<>(
          Map.of(
              "wordcount", new Named(2, SparkWordCount::run),
              "invertedindex", new Named(2, SparkInvertedIndex::run),
              "kmeans", new Named(4, SparkKMeans::run),
              "pagerank", new Named(3, SparkPageRank::run),
              "lda", new Named(4, SparkLda::run)));

  private SparkWorkloads() {}

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
}
