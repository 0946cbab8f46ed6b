package io.sluice.spark.conf;

import java.util.Locale;
import org.apache.spark.SparkConf;

/** Whether Spark's own shuffle may take over from Sluice in an application. */
public enum SparkFallbackPolicy {
  /** It may, and that is counted. */
  AUTO,
  /** It may not: what Sluice cannot do fails, and says why. */
  NEVER;

  static final String KEY = "spark.sluice.fallback.policy";

  /** The policy of an application, whose settings have been checked. */
  public static SparkFallbackPolicy of(SparkConf conf) {
    return valueOf(conf.get(KEY, AUTO.value()).trim().toUpperCase(Locale.ROOT));
  }

  /** What to fail with where Spark would have to take over for that reason. */
  public String refusal(String reason) {
    return KEY + " is " + value() + ", and " + reason;
  }

  /**
   * Does nothing if Spark may take over.
   *
   * @param reason why it would have to
   * @throws IllegalStateException that says so if it may not
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
