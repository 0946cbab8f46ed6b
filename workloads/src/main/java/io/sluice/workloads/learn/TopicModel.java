package io.sluice.workloads.learn;

import io.sluice.workloads.run.Decimal;
import io.sluice.workloads.run.Longs;
import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * How likely words are in topics, as variational Bayes puts it: the exponential of the expected
 * logarithm, of a Dirichlet distribution whose parameters are a prior and the counts of the round
 * before.
 *
 * <p>Thread contract: immutable. Memory: eight bytes a word and topic, twice while it is made.
 */
public final class TopicModel implements Serializable {
  private static final long serialVersionUID = 1;
  private static final double PRIOR = 0.01;

  private final int topics;

  /** Null before the first round. */
  private final HashMap<String, double[]> weights;

  private TopicModel(int topics, HashMap<String, double[]> weights) {
    this.topics = topics;
    this.weights = weights;
  }

  /** Of the first round: no topic is more likely, and every word has its own small deviations. */
  public static TopicModel unknown(int topics) {
    return new TopicModel(topics, null);
  }

  /**
   * Of a later round.
   *
   * @param lines of each word, a tab, and how often it is in each topic, in millionths
   */
  public static TopicModel parse(int topics, Stream<String> lines) {
    Map<String, long[]> counts = new HashMap<>();
    lines
        .map(line -> line.split("\t"))
        .forEach(fields -> counts.put(fields[0], Longs.parse(fields[1])));
    return of(topics, counts);
  }

  /** The same of these counts. */
  public static TopicModel of(int topics, Map<String, long[]> counts) {
    // Longs, so that the order of the words is nothing to their sum.
    long[] totals = counts.values().stream().reduce(new long[topics], Longs::sum);
    double[] expectedTotals = new double[topics];
    for (int topic = 0; topic < topics; topic++) {
      expectedTotals[topic] =
          Digamma.of(Decimal.MICRO.toDouble(totals[topic]) + PRIOR * counts.size());
    }
    HashMap<String, double[]> weights = new HashMap<>();
    counts.forEach(
        (word, count) -> {
          double[] weight = new double[topics];
          for (int topic = 0; topic < topics; topic++) {
            double expected = Digamma.of(Decimal.MICRO.toDouble(count[topic]) + PRIOR);
            weight[topic] = StrictMath.exp(expected - expectedTotals[topic]);
          }
          weights.put(word, weight);
        });
    return new TopicModel(topics, weights);
  }

  public int topics() {
    return topics;
  }

  /** Of a word, by topic. Nobody changes it. */
  double[] weights(String word) {
    if (weights == null) {
      return new SplittableRandom(word.hashCode()).doubles(topics, 0.5, 1.5).toArray();
    }
    double[] known = weights.get(word);
    if (known == null) {
      throw new IllegalArgumentException("the round before did not see " + word);
    }
    return known;
  }
}
