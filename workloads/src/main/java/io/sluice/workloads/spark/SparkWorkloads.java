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
  private static final Map<String, SparkProgram> PROGRAMS =
      new TreeMap<>(
          Map.of(
              "wordcount", SparkWordCount::run,
              "invertedindex", SparkInvertedIndex::run,
              "kmeans", SparkKMeans::run,
              "pagerank", SparkPageRank::run,
              "lda", SparkLda::run));

  private SparkWorkloads() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length == 0 || !PROGRAMS.containsKey(arguments[0])) {
      throw new IllegalArgumentException(
          "The first argument is one of " + PROGRAMS.keySet() + ", not " + name(arguments));
    }
    SparkConf conf = new SparkConf().setIfMissing("spark.app.name", arguments[0]);
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      PROGRAMS.get(arguments[0]).run(context, Arrays.copyOfRange(arguments, 1, arguments.length));
    }
  }

  private static String name(String[] arguments) {
    return arguments.length == 0 ? "missing" : arguments[0];
  }
}
