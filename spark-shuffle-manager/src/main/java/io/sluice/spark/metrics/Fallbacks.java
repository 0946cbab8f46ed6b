package io.sluice.spark.metrics;

import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts fallbacks to Spark, by reason. The log names each reason once.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class Fallbacks {
  private static final Logger LOG = LoggerFactory.getLogger(Fallbacks.class);

  private final String sentence;
  private final Map<String, Long> counts = new TreeMap<>();

  /**
   * Counts none yet.
   *
   * @param sentence begins the log line; the reason follows
   */
  public Fallbacks(String sentence) {
    this.sentence = sentence;
  }

  /** Counts a fallback, and logs its reason the first time. */
  public synchronized void add(String reason) {
    if (counts.merge(reason, 1L, Long::sum) == 1) {
      LOG.info("{}: {}", sentence, reason);
    }
  }

  /** Counts a fallback that was logged elsewhere. */
  public synchronized void count(String reason) {
    counts.merge(reason, 1L, Long::sum);
  }

  /** Number of fallbacks, by reason. */
  public synchronized Map<String, Long> counts() {
    return new TreeMap<>(counts);
  }
}
