package io.sluice.hadoop.entry;

import java.util.Locale;
import org.apache.hadoop.conf.Configuration;

/**
 * Whether stock may take over from Sluice in a job. It lies here because entries read it on a JVM
 * that may be too old for Sluice. Thread contract: immutable.
 */
public enum FallbackPolicy {
  /** Stock may take over; each fallback is counted. */
  AUTO,
  /** Stock may not take over: a task that Sluice cannot run fails and says why. */
  NEVER;

  /** The name of the job's setting. */
  public static final String KEY = "sluice.fallback.policy";

  /**
   * The policy of a job.
   *
   * @throws IllegalArgumentException if the setting has another value
   */
  public static FallbackPolicy of(Configuration conf) {
    String value = conf.getTrimmed(KEY, AUTO.value());
    for (FallbackPolicy policy : values()) {
      if (policy.value().equals(value)) {
        return policy;
      }
    }
    throw new IllegalArgumentException(
        KEY + " is '" + value + "', expected one of " + AUTO.value() + ", " + NEVER.value());
  }

  /** The value of the setting that stands for this policy. */
  public String value() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the message to fail with.
   *
   * @param reason why stock would have to take over
   * @return null if stock may take over
   */
  public String refusal(String reason) {
    return this == AUTO ? null : KEY + " is " + value() + ", and " + reason;
  }

  /**
   * Sluice cannot collect a map's output, and the job's policy allows no other collector. It is an
   * error, because a map task answers an exception with the next collector of the job's list.
   */
  public static final class FallbackRefused extends Error {
    private static final long serialVersionUID = 1L;

    /** Refuses for this reason, in plain words. */
    public FallbackRefused(String reason) {
      super(reason);
    }
  }
}
