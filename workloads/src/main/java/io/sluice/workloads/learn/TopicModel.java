package io.sluice.workloads.learn;

import io.sluice.workloads.input.GenerateDocuments.Document;
import io.sluice.workloads.run.Decimal;
import io.sluice.workloads.run.Longs;
import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * The weights of words in topics, by variational Bayes: the exponential of the expected logarithm
 * of a Dirichlet distribution. Its parameters are a prior and the counts of the round before.
 *
 * <p>Thread contract: immutable. Memory: eight bytes for each word and topic, twice while it is
 * made.
 */
public final class TopicModel implements Serializable {
  private static final long serialVersionUID = 1;
  private static final double PRIOR = 0.01;

  /** From here on the series of {@link #digamma} is exact to twelve digits. */
  private static final double LARGE = 8;

  private final int topics;

  /** Null before the first round. */
  private final HashMap<String, double[]> weights;

  private TopicModel(int topics, HashMap<String, double[]> weights) {
    this.topics = topics;
    this.weights = weights;
  }

  /** The model of the first round: all topics are alike, and each word deviates a little. */
  public static TopicModel unknown(int topics) {
    return new TopicModel(topics, null);
  }

  /**
   * The model of a later round.
   *
   * @param lines each with a word, a tab, and the word's count in each topic, in millionths
   */
  public static TopicModel parse(int topics, Stream<String> lines) {
    Map<String, long[]> counts = new HashMap<>();
    lines
        .map(line -> line.split("\t"))
        .forEach(fields -> counts.put(fields[0], Longs.parse(fields[1])));
    return of(topics, counts);
  }

  /** The same from counts. */
  public static TopicModel of(int topics, Map<String, long[]> counts) {
    // Longs, whose sum does not depend on the order of the words.
    long[] totals = counts.values().stream().reduce(new long[topics], Longs::sum);
    double[] expectedTotals = new double[topics];
    for (int topic = 0; topic < topics; topic++) {
      expectedTotals[topic] =
          digamma(Decimal.MICRO.toDouble(totals[topic]) + PRIOR * counts.size());
    }
    HashMap<String, double[]> weights = new HashMap<>();
    counts.forEach(
        (word, count) -> {
          double[] weight = new double[topics];
          for (int topic = 0; topic < topics; topic++) {
            double expected = digamma(Decimal.MICRO.toDouble(count[topic]) + PRIOR);
            weight[topic] = StrictMath.exp(expected - expectedTotals[topic]);
          }
          weights.put(word, weight);
        });
    return new TopicModel(topics, weights);
  }

  /** How often each word of a document is of each topic there, in millionths. */
  public Map<String, long[]> counts(Document document) {
    return new Inference(this, document).counts();
  }

  /** The weights of a word, by topic; callers must not change them. */
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

  /**
   * The derivative of the gamma function's logarithm, for a positive number, the same on every
   * machine.
   */
  private static double digamma(double number) {
    double x = number;
    double below = 0;
    for (; x < LARGE; x++) {
      below += 1 / x;
    }
    double square = 1 / (x * x);
    double series =
        square
            * (1.0 / 12
                - square
                    * (1.0 / 120 - square * (1.0 / 252 - square * (1.0 / 240 - square / 132))));
    return StrictMath.log(x) - 0.5 / x - series - below;
  }

  /**
   * Coordinate ascent between the topics of a document and those of its words. It looks at one
   * document alone, in the order of its words, with the strict functions. Results are rounded to
   * millionths before they are added, so sums over documents are the same on every engine.
   *
   * <p>Thread contract: one thread, one document.
   */
  private static final class Inference {
    private static final double PRIOR = 0.1;
    private static final int ROUNDS = 20;

    private final Document document;
    private final long[] counts;
    private final double[][] weights;
    private final double[] topics;

    Inference(TopicModel model, Document document) {
      this.document = document;
      counts = document.counts().values().stream().mapToLong(Long::longValue).toArray();
      weights = document.counts().keySet().stream().map(model::weights).toArray(double[][]::new);
      topics = new double[model.topics];
    }

    Map<String, long[]> counts() {
      ascend();
      Map<String, long[]> result = new LinkedHashMap<>();
      int word = 0;
      for (String text : document.counts().keySet()) {
        result.put(text, countsOf(word++));
      }
      return result;
    }

    /** Ends with the likelihood of each topic in the document, but for a common factor. */
    private void ascend() {
      double[] inTopic = new double[topics.length];
      double words = 0;
      for (long count : counts) {
        words += count;
      }
      Arrays.fill(inTopic, words / topics.length);
      for (int round = 0; round < ROUNDS; round++) {
        for (int topic = 0; topic < topics.length; topic++) {
          topics[topic] = StrictMath.exp(digamma(PRIOR + inTopic[topic]));
          inTopic[topic] = 0;
        }
        for (int word = 0; word < counts.length; word++) {
          double each = counts[word] / likelihood(word);
          for (int topic = 0; topic < topics.length; topic++) {
            inTopic[topic] += each * topics[topic] * weights[word][topic];
          }
        }
      }
    }

    private double likelihood(int word) {
      double sum = 0;
      for (int topic = 0; topic < topics.length; topic++) {
        sum += topics[topic] * weights[word][topic];
      }
      return sum;
    }

    private long[] countsOf(int word) {
      long[] result = new long[topics.length];
      double each = counts[word] / likelihood(word);
      for (int topic = 0; topic < topics.length; topic++) {
        result[topic] = Decimal.MICRO.of(each * topics[topic] * weights[word][topic]);
      }
      return result;
    }
  }
}
