package io.sluice.workloads.learn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.workloads.input.GenerateDocuments;
import io.sluice.workloads.run.LocalRuns;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LdaTest {
  private static final int TOPICS = 3;
  private static final int ROUNDS = 3;

  @TempDir private Path directory;
  private LocalRuns runs;

  @BeforeEach
  void start() throws Exception {
    runs = new LocalRuns(directory);
    runs.run(
        new GenerateDocuments(),
        "-Dworkloads.documents.vocabulary=200",
        "60",
        runs.path("documents"));
  }

  /** By its recurrence alone, up to where one term of its series is enough. */
  private static double digamma(double x) {
    double below = 0;
    double large = x;
    for (; large < 20_000; large++) {
      below -= 1 / large;
    }
    return below + Math.log(large) - 1 / (2 * large);
  }

  /** Which topics the tokens of a document have, each by itself. */
  private static double[][] shares(List<String> words, Map<String, double[]> weights) {
    double[][] shares = new double[words.size()][TOPICS];
    for (double[] share : shares) {
      Arrays.fill(share, 1.0 / TOPICS);
    }
    for (int round = 0; round < 20; round++) {
      double[] topics = new double[TOPICS];
      for (int topic = 0; topic < TOPICS; topic++) {
        int of = topic;
        double tokens = Arrays.stream(shares).mapToDouble(share -> share[of]).sum();
        topics[topic] = Math.exp(digamma(0.1 + tokens));
      }
      for (int token = 0; token < shares.length; token++) {
        double[] weight = weights.get(words.get(token));
        double[] share = shares[token];
        Arrays.setAll(share, topic -> topics[topic] * weight[topic]);
        double total = Arrays.stream(share).sum();
        Arrays.setAll(share, topic -> share[topic] / total);
      }
    }
    return shares;
  }

  private static Map<String, double[]> counts(
      List<List<String>> documents, Map<String, double[]> weights) {
    Map<String, double[]> counts = new HashMap<>();
    for (List<String> words : documents) {
      double[][] shares = shares(words, weights);
      for (int token = 0; token < shares.length; token++) {
        double[] share = shares[token];
        double[] sum = counts.computeIfAbsent(words.get(token), word -> new double[TOPICS]);
        Arrays.setAll(sum, topic -> sum[topic] + share[topic]);
      }
    }
    return counts;
  }

  private static Map<String, double[]> weights(Map<String, double[]> counts) {
    double[] totals = new double[TOPICS];
    counts.values().forEach(c -> Arrays.setAll(totals, topic -> totals[topic] + c[topic] + 0.01));
    Map<String, double[]> weights = new HashMap<>();
    counts.forEach(
        (word, c) -> {
          double[] weight = new double[TOPICS];
          Arrays.setAll(
              weight, topic -> Math.exp(digamma(c[topic] + 0.01) - digamma(totals[topic])));
          weights.put(word, weight);
        });
    return weights;
  }

  private List<List<String>> documents() throws Exception {
    List<List<String>> documents = new ArrayList<>();
    for (String line : runs.lines("documents")) {
      documents.add(List.of(line.split("\t")[1].split(" ")));
    }
    return documents;
  }

  @Test
  void topicsAreThoseOfVariationalBayes() throws Exception {
    List<List<String>> documents = documents();
    Map<String, double[]> weights = new HashMap<>();
    for (List<String> words : documents) {
      for (String word : words) {
        weights.put(
            word, new SplittableRandom(word.hashCode()).doubles(TOPICS, 0.5, 1.5).toArray());
      }
    }
    Map<String, double[]> expected = counts(documents, weights);
    for (int round = 1; round < ROUNDS; round++) {
      expected = counts(documents, weights(expected));
    }
    runs.run(new Lda(), runs.path("documents"), runs.path("topics"), "3", "" + ROUNDS);
    List<String> lines = runs.lines("topics");
    assertEquals(expected.size(), lines.size());
    for (String line : lines) {
      double[] counts =
          Arrays.stream(line.split("\t")[1].split(" "))
              .mapToDouble(count -> Long.parseLong(count) / 1e6)
              .toArray();
      assertArrayEquals(expected.get(line.split("\t")[0]), counts, 1e-4, line);
    }
  }

  @Test
  void topicsDependNeitherOnTheNumberOfTasksNorOnWhenTheyCombine() throws Exception {
    runs.run(new Lda(), runs.path("documents"), runs.path("topics"), "3", "2");
    runs.run(
        new Lda(),
        "-Dmapreduce.job.reduces=1",
        "-Dmapreduce.input.fileinputformat.split.maxsize=3000",
        runs.path("documents"),
        runs.path("of many maps"),
        "3",
        "2");
    assertEquals(runs.sortedLines("topics"), runs.sortedLines("of many maps"));
  }

  @Test
  void everyTokenIsOfSomeTopic() throws Exception {
    runs.run(new Lda(), runs.path("documents"), runs.path("topics"), "5", "1");
    long tokens = documents().stream().mapToLong(List::size).sum();
    double sum =
        runs.lines("topics").stream()
            .flatMap(line -> Stream.of(line.split("\t")[1].split(" ")))
            .mapToLong(Long::parseLong)
            .sum();
    assertEquals(tokens, sum / 1e6, 0.1);
  }
}
