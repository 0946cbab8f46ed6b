package io.sluice.spark.conf;

import java.util.Locale;
import org.apache.spark.SparkConf;

/** Whether Spark's own shuffle may take over from Sluice in an application. */
public enum SparkFallbackPolicy {
  /** Spark may take over, and each case is counted. */
  AUTO,
  /** Spark may not take over: the shuffle, the task or the fetch fails, and says why. */
  NEVER;

  static final String KEY = "spark.sluice.fallback.policy";

  /** The policy of an application with settings that were checked. */
  public static SparkFallbackPolicy of(SparkConf conf) {
    return valueOf(conf.get(KEY, AUTO.value()).trim().toUpperCase(Locale.ROOT));
  }

  /** The message of a failure, where Spark may not take over for that reason. */
  public String refusal(String reason) {
    return KEY + " is " + value() + ", and " + reason;
  }

  /**
   * Does nothing if Spark may take over.
   *
   * @param reason why Spark would have to take over
   * @throws IllegalStateException with that reason if Spark may not take over
   */
  public void permit(String reason, Throwable cause) {
    if (this == NEVER) {
      throw new IllegalStateException(refusal(reason), cause);
    }
  }

  String value() {
    return name().toLowerCase(Locale.ROOT);
  }
}
