package io.sluice.workloads.learn;

import io.sluice.workloads.run.Decimal;
import io.sluice.workloads.text.Document;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How often each word of a document belongs to each topic, by coordinate ascent between the topics
 * of the document and those of its words. It looks at one document alone, in the order of its
 * words, with the strict functions; its results are rounded to millionths before anybody adds them
 * up. So sums over documents are the same on every engine.
 *
 * <p>Thread contract: one thread, one document.
 */
public final class TopicInference {
  private static final double PRIOR = 0.1;
  private static final int ROUNDS = 20;

  private final long[] counts;
  private final double[][] weights;
  private final double[] topics;

  private TopicInference(TopicModel model, Document document) {
    counts = document.counts().values().stream().mapToLong(Long::longValue).toArray();
    weights = document.counts().keySet().stream().map(model::weights).toArray(double[][]::new);
    topics = new double[model.topics()];
  }

  /** By word, in millionths. */
  public static Map<String, long[]> counts(TopicModel model, Document document) {
    TopicInference inference = new TopicInference(model, document);
    inference.ascend();
    Map<String, long[]> result = new LinkedHashMap<>();
    int word = 0;
    for (String text : document.counts().keySet()) {
      result.put(text, inference.countsOf(word++));
    }
    return result;
  }

  /** Ends with how likely each topic is in the document, but for a common factor. */
  private void ascend() {
    double[] inTopic = new double[topics.length];
    double words = 0;
    for (long count : counts) {
      words += count;
    }
    Arrays.fill(inTopic, words / topics.length);
    for (int round = 0; round < ROUNDS; round++) {
      for (int topic = 0; topic < topics.length; topic++) {
        topics[topic] = StrictMath.exp(Digamma.of(PRIOR + inTopic[topic]));
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
