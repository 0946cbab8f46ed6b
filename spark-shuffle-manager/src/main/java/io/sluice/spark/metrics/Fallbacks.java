package io.sluice.spark.metrics;

import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was left to Spark, and why; the log says each reason once.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class Fallbacks {
  private static final Logger LOG = LoggerFactory.getLogger(Fallbacks.class);

  private final String sentence;
  private final Map<String, Long> counts = new TreeMap<>();

  /**
   * None yet.
   *
   * @param sentence that the reason follows in the log
   */
  public Fallbacks(String sentence) {
    this.sentence = sentence;
  }

  /** Counts one. */
  public synchronized void add(String reason) {
    if (counts.merge(reason, 1L, Long::sum) == 1) {
      LOG.info("{}: {}", sentence, reason);
    }
  }

  /** Counts one of which the log has been told. */
  public synchronized void count(String reason) {
    counts.merge(reason, 1L, Long::sum);
  }

  /** How often, by reason. */
  public synchronized Map<String, Long> counts() {
    return new TreeMap<>(counts);
  }
}
